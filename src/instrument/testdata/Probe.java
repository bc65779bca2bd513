package reneri.rt;

import java.io.PrintStream;

/** Stands in for the real class: writes what it is given to the file that the property names. */
public final class Probe {
    private static final PrintStream OUT = open();

    private static PrintStream open() {
        try {
            return new PrintStream(System.getProperty("seen"), "UTF-8");
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void seen(int expression, String type, Object value) {
        boolean plain = value == null || value instanceof Number || value instanceof String || value instanceof Boolean
                || value instanceof Character || value instanceof Throwable;
        OUT.println(expression + " " + type + " " + (plain ? value : "object"));
    }

    public static boolean p(int expression, boolean value) {
        seen(expression, "boolean", value);
        return value;
    }

    public static byte p(int expression, byte value) {
        seen(expression, "byte", value);
        return value;
    }

    public static short p(int expression, short value) {
        seen(expression, "short", value);
        return value;
    }

    public static char p(int expression, char value) {
        seen(expression, "char", value);
        return value;
    }

    public static int p(int expression, int value) {
        seen(expression, "int", value);
        return value;
    }

    public static long p(int expression, long value) {
        seen(expression, "long", value);
        return value;
    }

    public static float p(int expression, float value) {
        seen(expression, "float", value);
        return value;
    }

    public static double p(int expression, double value) {
        seen(expression, "double", value);
        return value;
    }

    public static <T> T p(int expression, T value) {
        seen(expression, "reference", value);
        return value;
    }

    public static void caught(int expression, Throwable thrown) {
        seen(expression, "caught", thrown);
    }

    @SuppressWarnings("unchecked")
    public static <X extends Throwable> X leaving(int expression, Throwable thrown) throws X {
        seen(expression, "leaving", thrown);
        throw (X) thrown;
    }
}
