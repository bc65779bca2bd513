package reneri.rt;

import java.util.ArrayList;
import java.util.List;

/** Takes the place of the runtime class and logs each call. */
public final class Probe {
    public static volatile int active;
    public static byte[] entered = new byte[100];
    public static final List<String> events = new ArrayList<>();

    private static String text(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof String) {
            return "\"" + value + "\"";
        }
        if (value.getClass().getName().startsWith("java.lang.") && !value.getClass().isArray()) {
            return value.getClass().getSimpleName() + ":" + value;
        }
        return value.getClass().getSimpleName();
    }

    public static void taken() {
        if (active == 0) {
            events.add("a guard was taken on the original");
        }
    }

    public static void enter(int method, Object[] values) {
        StringBuilder event = new StringBuilder("enter " + method + "(");
        for (int i = 0; i < values.length; i++) {
            event.append(i == 0 ? "" : " ").append(text(values[i]));
        }
        events.add(event.append(")").toString());
    }

    public static void leave(int method) {
        events.add("leave " + method);
    }

    public static void leave(Object result, int method) {
        events.add("leave " + method + " Object " + text(result));
    }

    public static void leave(int result, int method) {
        events.add("leave " + method + " int " + result);
    }

    public static void leave(long result, int method) {
        events.add("leave " + method + " long " + result);
    }

    public static void leave(float result, int method) {
        events.add("leave " + method + " float " + result);
    }

    public static void leave(double result, int method) {
        events.add("leave " + method + " double " + result);
    }

    public static void leave(boolean result, int method) {
        events.add("leave " + method + " boolean " + result);
    }

    public static void leave(byte result, int method) {
        events.add("leave " + method + " byte " + result);
    }

    public static void leave(char result, int method) {
        events.add("leave " + method + " char " + result);
    }

    public static void leave(short result, int method) {
        events.add("leave " + method + " short " + result);
    }

    public static void threw(Throwable thrown, int method) {
        events.add("threw " + method + " " + thrown);
    }
}
