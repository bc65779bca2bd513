package reneri.rt;

import java.util.Arrays;

/**
 * What woven byte code and instrumented tests call. Loaded by the boot loader, so that every class of every loader sees the same one.
 * Only java.lang and java.util are used, nothing of the project, and no method of an observed object is ever called here.
 */
public final class Probe {
    /** Number of the active transformation; 0 is the original code. Volatile: tests run in several threads, and loops must see it change. */
    public static volatile int active;
    /** Coverage: entered[method] = 1. */
    public static byte[] entered = new byte[0];

    /** Beyond this many observations of one site in one test and thread only their number is kept. */
    private static final int LIMIT = 10000;
    /** The same where only the first observations are wanted; a constant of the same meaning in the coordinator has the same value. */
    private static final int BRIEF_LIMIT = 1000;
    private static final byte BRIEFLY = 3;
    private static final Object VOID = new Object();

    /** Not 0 where somebody wants to know what is observed there; all other sites are only counted. By number of method and expression. */
    private static byte[] wantedMethods = new byte[0];
    private static byte[] wantedExpressions = new byte[0];
    private static volatile boolean recording;
    private static volatile int epoch;
    private static volatile Thread testThread;
    private static int methods;
    private static int expressions;
    private static final ThreadLocal<Calls> CALLS = new ThreadLocal<Calls>();

    /** Invocations of the transformed method since the running test began, and how many it may have. Threads may lose some: it is a limit only. */
    private static long taken;
    private static long most = Long.MAX_VALUE;

    private Probe() {
    }

    /** The invocations that one thread has entered and not left, and how often it has hit each site during the current test. */
    private static final class Calls {
        int epoch;
        int thread;
        int depth;
        int[] entered = new int[16];
        int[] numbers = new int[16];
        Object[][] values = new Object[16][];
        final int[] methodCounts = new int[methods];
        int[] expressionCounts = new int[expressions];
        boolean busy;
    }

    /** Sizes of the tables; before the first class of the project is loaded. */
    static void prepare(int methodCount, int expressionCount) {
        methods = methodCount;
        expressions = expressionCount;
        entered = new byte[methodCount];
        wantedMethods = new byte[methodCount];
        wantedExpressions = new byte[expressionCount];
    }

    /** Makes room for more test probes, between two runs. */
    static void makeRoom(int expressionCount) {
        expressions = expressionCount;
        wantedExpressions = new byte[expressionCount];
    }

    /** Starts or ends a run. What happens in it before the first test and between two tests belongs to the set-up of the next one. */
    static void record(boolean on) {
        next();
        recording = on;
    }

    /** Starts or ends a test: invocations are numbered per test, site and thread. */
    static void next() {
        testThread = Thread.currentThread();
        epoch++;
    }

    /**
     * A transformed method was invoked. In a loop that no longer ends this is found sooner by counting than by the clock, and by the thread that
     * loops: back to the original code, which ends most loops.
     */
    public static void taken() {
        if (++taken > most) {
            most = Long.MAX_VALUE;
            if (tooOften()) {
                active = 0;
            }
        }
    }

    private static Calls calls() {
        if (!recording) {
            return null;
        }
        Calls calls = CALLS.get();
        if (calls == null) {
            calls = new Calls();
            CALLS.set(calls);
        }
        if (calls.busy) {
            return null;
        }
        int now = epoch;
        if (calls.epoch != now) {
            calls.epoch = now;
            calls.depth = 0;
            Arrays.fill(calls.values, null);
            Arrays.fill(calls.methodCounts, 0);
            if (calls.expressionCounts.length < expressions) {
                calls.expressionCounts = new int[expressions];
            }
            Arrays.fill(calls.expressionCounts, 0);
            Thread thread = Thread.currentThread();
            calls.thread = thread == testThread ? 0 : thread(thread.getName());
        }
        return calls;
    }

    public static void enter(int method, Object[] values) {
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        int number = ++calls.methodCounts[method];
        if (wantedMethods[method] == 0) {
            return;
        }
        int depth = calls.depth;
        if (depth == calls.entered.length) {
            calls.entered = Arrays.copyOf(calls.entered, 2 * depth);
            calls.numbers = Arrays.copyOf(calls.numbers, 2 * depth);
            calls.values = Arrays.copyOf(calls.values, 2 * depth);
        }
        calls.entered[depth] = method;
        calls.numbers[depth] = number;
        calls.values[depth] = values;
        calls.depth = depth + 1;
    }

    public static void leave(int method) {
        left(method, VOID, null);
    }

    public static void leave(Object result, int method) {
        left(method, result, null);
    }

    public static void leave(int result, int method) {
        left(method, result, null);
    }

    public static void leave(long result, int method) {
        left(method, result, null);
    }

    public static void leave(float result, int method) {
        left(method, result, null);
    }

    public static void leave(double result, int method) {
        left(method, result, null);
    }

    public static void leave(boolean result, int method) {
        left(method, result, null);
    }

    public static void leave(byte result, int method) {
        left(method, result, null);
    }

    public static void leave(char result, int method) {
        left(method, result, null);
    }

    public static void leave(short result, int method) {
        left(method, result, null);
    }

    public static void threw(Throwable thrown, int method) {
        left(method, VOID, thrown);
    }

    private static void left(int method, Object result, Throwable thrown) {
        if (wantedMethods[method] == 0) {
            return;
        }
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        // An invocation whose end was never seen (a StackOverflowError inside `enter`) must not shift the ones below it.
        int depth = calls.depth - 1;
        while (depth >= 0 && calls.entered[depth] != method) {
            calls.values[depth--] = null;
        }
        if (depth < 0) {
            calls.depth = 0;
            return;
        }
        calls.depth = depth;
        Object[] values = calls.values[depth];
        calls.values[depth] = null;
        int number = calls.numbers[depth];
        calls.busy = true;
        try {
            int limit = limit(wantedMethods[method]);
            if (number > limit) {
                if (isTold(number, limit)) {
                    cut(method, -1, calls.thread, number - limit);
                }
            } else {
                observed(method, number, calls.thread, values, result == VOID ? null : result, result != VOID, thrown);
            }
        } finally {
            calls.busy = false;
        }
    }

    /** A call into native code for each would cost more than all the rest; told is at least half of their number. */
    private static boolean isTold(int number, int limit) {
        return number == limit + 1 || (number & (number - 1)) == 0;
    }

    private static int limit(byte wanted) {
        return wanted == BRIEFLY ? BRIEF_LIMIT : LIMIT;
    }

    private static void see(int expression, Object value, char kind) {
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        int number = ++calls.expressionCounts[expression];
        if (wantedExpressions[expression] == 0) {
            return;
        }
        calls.busy = true;
        try {
            int limit = limit(wantedExpressions[expression]);
            if (number > limit) {
                if (isTold(number, limit)) {
                    cut(-1, expression, calls.thread, number - limit);
                }
            } else {
                seen(expression, number, calls.thread, value, kind);
            }
        } finally {
            calls.busy = false;
        }
    }

    public static <T> T p(int expression, T value) {
        see(expression, value, 'L');
        return value;
    }

    public static boolean p(int expression, boolean value) {
        see(expression, value, 'Z');
        return value;
    }

    public static byte p(int expression, byte value) {
        see(expression, value, 'B');
        return value;
    }

    public static char p(int expression, char value) {
        see(expression, value, 'C');
        return value;
    }

    public static short p(int expression, short value) {
        see(expression, value, 'S');
        return value;
    }

    public static int p(int expression, int value) {
        see(expression, value, 'I');
        return value;
    }

    public static long p(int expression, long value) {
        see(expression, value, 'J');
        return value;
    }

    public static float p(int expression, float value) {
        see(expression, value, 'F');
        return value;
    }

    public static double p(int expression, double value) {
        see(expression, value, 'D');
        return value;
    }

    public static void caught(int expression, Throwable thrown) {
        see(expression, thrown, 'E');
    }

    /** Records an exception that leaves a test, then throws it on, unchecked by the compiler. */
    @SuppressWarnings("unchecked")
    public static <X extends Throwable> X leaving(int expression, Throwable thrown) throws X {
        see(expression, thrown, 'E');
        throw (X) thrown;
    }

    /** The transformed method was invoked too often: whether a test runs that is late by that. */
    private static native boolean tooOften();

    private static native int thread(String name);

    /** `values`: the receiver (null for a static method), then the arguments, boxed. */
    private static native void observed(int method, int number, int thread, Object[] values, Object result, boolean hasResult, Throwable thrown);

    private static native void seen(int expression, int number, int thread, Object value, char kind);

    /** So many observations, or up to twice as many, were left out. */
    private static native void cut(int method, int expression, int thread, int leftOut);
}
