package sample;

/** Reports events that the driver passes on. */
final class Witness {
    private Witness() {}

    static void say(String what) {
        try {
            java.io.PrintStream out = (java.io.PrintStream) Class.forName("Session").getDeclaredField("OUT").get(null);
            out.println("witness " + what);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
