sealed interface Java17Sealed permits Java17Sealed.One, Java17Sealed.Two, Java17Sealed.Other {
    record One(int n) implements Java17Sealed {}

    final class Two implements Java17Sealed {}

    non-sealed class Other implements Java17Sealed {}

    static int sealed(int permits, int record) {
        int sealed = permits + record;
        return sealed;
    }
}
