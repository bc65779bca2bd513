import java.lang.annotation.ElementType;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The classes that the tests weave and Scenarios calls. */
class Returns {
    void nothing(StringBuilder out) { out.append("ran"); }
    boolean z() { return Boolean.parseBoolean("false"); }
    byte b() { return 11; }
    char c() { return 'c'; }
    short s() { return 1212; }
    int i() { return 131313; }
    long j() { return 1414141414141414L; }
    float f() { return 1.5f; }
    double d() { return 1.25; }
    String string() { return "original"; }
    Object object() { return new ArrayList<>(); }
    CharSequence text() { return "text"; }
    Number number() { return 17L; }
    int[] ints() { return new int[] {1, 2}; }
    String[] strings() { return new String[] {"a"}; }
    byte[][] bytes() { return new byte[3][3]; }
    Optional<String> optional() { return Optional.of("there"); }
    List<String> list() { return List.of("one"); }
    Returns self(Returns other) { return other; }
    static long second(int a, long b, String c) { return a + b + c.length(); }
    static String third(int a, long b, String c) { return a + b + c; }
}

class Arguments {
    static String all(boolean z, byte b, char c, short s, int i, long j, float f, double d, String t, int[] a) {
        return "" + z + b + c + s + i + j + f + d + t + a.length;
    }
    double instance(long first, double second) { return first * second; }
    static void none() { }
}

class Flow {
    /** Has a stack map frame at offset 0. */
    static int loopAtStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static int recursive(int n) { return n <= 1 ? 1 : n * recursive(n - 1); }

    static int outer(int n) { return inner(n) + 1; }
    static int inner(int n) { return n * 2; }

    static int throwing(String text) { return Integer.parseInt(text); }

    static int catching(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static int tryFinally(String text, List<String> log) {
        try {
            return Integer.parseInt(text);
        } finally {
            log.add("finally");
        }
    }

    @SuppressWarnings("finally")
    static int finallyWins(String text) {
        try {
            return Integer.parseInt(text);
        } finally {
            return 7;
        }
    }

    static String table(int n) {
        switch (n) {
            case 1: return "one";
            case 2: return "two";
            case 3: return "three";
            case 4:
                n++;
            default: return "many" + n;
        }
    }

    static int lookup(String s) {
        switch (s) {
            case "apple": return 1;
            case "pear": return 2;
            case "a very long fruit": return 3;
            default: return s.length() > 5 ? 4 : 5;
        }
    }

    static synchronized int locked(int n) { return 100 / n; }

    int block(int n) {
        synchronized (this) {
            if (n == 3) {
                return 33;
            }
            return 100 / n;
        }
    }

    /** Has uninitialised objects in stack map frames, and locals of every size. */
    static String frames(int n, long wide) {
        StringBuilder text = new StringBuilder(n > 3 ? "big" : "small");
        for (long i = 0; i < wide; i++) {
            double half = i / 2.0;
            text.append(half > 0.5 ? new String(n > 3 ? "x" : "y") : "z");
            if (text.length() > 40) {
                return "long";
            }
        }
        return text.toString();
    }

    static Runnable lambda(List<String> log) { return () -> log.add("lambda"); }

    static int line(int n) {
        int before = n + 1;

        return before / n;
    }

    @Target(ElementType.TYPE_USE) @interface Mark { }

    static Object annotated(Object given) {
        @Mark Object local = new @Mark ArrayList<@Mark String>();
        return given instanceof @Mark String ? given : local;
    }
}

/** Has no string concatenation or lambdas, so that tests can give it an old class file version. */
class Plain {
    static int mixed(int n, long wide, double fraction) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            switch (i) {
                case 0: sum += 1; break;
                case 1: sum += (int) wide; break;
                case 2: continue;
                default:
                    if (fraction > 0.5) {
                        return sum;
                    }
                    sum += 10;
            }
        }
        try {
            return 100 / sum;
        } catch (ArithmeticException e) {
            return -1;
        }
    }

    /** A test replaces the body by one with jsr and ret. */
    static int subroutine(int n) { return n; }
}

class Base {
    final int value;
    Base(int value) { this.value = value; }
}

class Built extends Base {
    static int count = Integer.parseInt("5");
    Built(boolean big) { super(big ? 1000 : count); }
}

abstract class Abstract {
    abstract int missing();
    native int elsewhere();
}

interface Shape {
    int sides();
    default int corners() { return half() * 2; }
    private int half() { return sides() / 2; }
    static Shape square() { return () -> 4; }
}
