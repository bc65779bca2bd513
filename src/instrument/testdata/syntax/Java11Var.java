import java.util.function.BiFunction;

class Java11Var {
    int sum() {
        var total = 0;
        for (var number : new int[] {1, 2}) {
            total += number;
        }
        for (var i = 0; i < 2; i++) {
            total += i;
        }
        BiFunction<Integer, Integer, Integer> add = (var a, @Deprecated final var b) -> a + b;
        return add.apply(total, 1);
    }
}
