package reneri.rt;

import java.util.Arrays;

/**
 * Receives the calls of woven byte code and of instrumented tests. The boot loader defines this class, so all classes of all loaders see the same one.
 * It uses java.lang and java.util only, and never calls a method of an observed object.
 */
public final class Probe {
    /**
     * The number of the active transformation; 0 is the original code. It is volatile because tests run in several threads, and because loops must see
     * the change.
     */
    public static volatile int active;
    /** The methods that were entered: entered[method] = 1. */
    public static byte[] entered = new byte[0];

    /** The number of observations of one site in one test and thread beyond which observations are only counted. */
    private static final int LIMIT = 10000;
    /** The same for sites of which only the first observations are recorded. The coordinator has the same number (FIRST_OCCURRENCES). */
    private static final int BRIEF_LIMIT = 1000;
    /** Modes of sites; see modes.rs. */
    private static final byte UNOBSERVED = 0;
    private static final byte RECORDED_BRIEFLY = 3;
    private static final Object VOID = new Object();

    /** The modes of all sites, by number of the method and of the expression. */
    private static byte[] methodModes = new byte[0];
    private static byte[] expressionModes = new byte[0];
    private static volatile boolean recording;
    private static volatile int epoch;
    private static volatile Thread testThread;
    private static int methods;
    private static int expressions;
    private static final ThreadLocal<Calls> CALLS = new ThreadLocal<Calls>();

    /**
     * The number of invocations of the transformed method in the running test, and its limit. Increments by several threads may get lost, which does
     * not matter for a limit.
     */
    private static long taken;
    private static long takenLimit = Long.MAX_VALUE;

    private Probe() {
    }

    /** The invocations that a thread has entered and not left, and the number of times that it has reached each site in the current test. */
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

    /** Makes the tables. Called before the first class of the project is loaded. */
    static void prepare(int methodCount, int expressionCount) {
        methods = methodCount;
        expressions = expressionCount;
        entered = new byte[methodCount];
        methodModes = new byte[methodCount];
        expressionModes = new byte[expressionCount];
    }

    /** Makes room for more test probes. Called between two runs. */
    static void makeRoom(int expressionCount) {
        expressions = expressionCount;
        expressionModes = new byte[expressionCount];
    }

    /** Starts or ends recording. Until the first test and between two tests, observations belong to the set-up of the next test. */
    static void record(boolean on) {
        next();
        recording = on;
    }

    /** Starts or ends a test: from now on, occurrences are counted from 1 again. */
    static void next() {
        testThread = Thread.currentThread();
        epoch++;
    }

    /**
     * Counts an invocation of the transformed method. This finds a loop that does not end sooner than the clock does, and in the thread that loops.
     * Switching back to the original code ends most loops.
     */
    public static void taken() {
        if (++taken > takenLimit) {
            takenLimit = Long.MAX_VALUE;
            if (limitReached()) {
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
            calls.thread = thread == testThread ? 0 : addThread(thread.getName());
        }
        return calls;
    }

    public static void enter(int method, Object[] values) {
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        int number = ++calls.methodCounts[method];
        if (methodModes[method] == UNOBSERVED) {
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
        if (methodModes[method] == UNOBSERVED) {
            return;
        }
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        // If a StackOverflowError inside `enter` hides the end of an invocation, the invocations below it must still match.
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
            int limit = limit(methodModes[method]);
            if (number > limit) {
                if (isReported(number, limit)) {
                    countLeftOut(method, -1, calls.thread, number - limit);
                }
            } else {
                observeInvocation(method, number, calls.thread, values, result == VOID ? null : result, result != VOID, thrown);
            }
        } finally {
            calls.busy = false;
        }
    }

    /**
     * Whether to report the number of observations that were left out. A native call for each of them would be too expensive; the last report has at
     * least half of their number.
     */
    private static boolean isReported(int number, int limit) {
        return number == limit + 1 || (number & (number - 1)) == 0;
    }

    private static int limit(byte mode) {
        return mode == RECORDED_BRIEFLY ? BRIEF_LIMIT : LIMIT;
    }

    private static void see(int expression, Object value, char kind) {
        Calls calls = calls();
        if (calls == null) {
            return;
        }
        int number = ++calls.expressionCounts[expression];
        if (expressionModes[expression] == UNOBSERVED) {
            return;
        }
        calls.busy = true;
        try {
            int limit = limit(expressionModes[expression]);
            if (number > limit) {
                if (isReported(number, limit)) {
                    countLeftOut(-1, expression, calls.thread, number - limit);
                }
            } else {
                observeExpression(expression, number, calls.thread, value, kind);
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

    /** Records an exception that leaves a test and throws it again, without the compiler's check for checked exceptions. */
    @SuppressWarnings("unchecked")
    public static <X extends Throwable> X leaving(int expression, Throwable thrown) throws X {
        see(expression, thrown, 'E');
        throw (X) thrown;
    }

    /** Reports that the transformed method was invoked too often. Whether a running test became late by that. */
    private static native boolean limitReached();

    /** Reports a thread that is new in this test, and returns its number. */
    private static native int addThread(String name);

    /** `values` are the receiver, which is null for a static method, and the boxed arguments. */
    private static native void observeInvocation(int method, int number, int thread, Object[] values, Object result, boolean hasResult, Throwable thrown);

    private static native void observeExpression(int expression, int number, int thread, Object value, char kind);

    /** Reports that at least this number of observations was left out, and at most twice as many. */
    private static native void countLeftOut(int method, int expression, int thread, int leftOut);
}
