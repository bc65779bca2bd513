package reneri.rt;

/** What the test driver reports, handed on to the native side. */
public final class Events {
    private Events() {
    }

    /** Called right before a test runs; false when the run is to stop. */
    public static boolean started(String id) {
        int test = test(id);
        if (test < 0) {
            return false;
        }
        Probe.startTest(test > 0);
        return true;
    }

    /** Outcome: 0 passed, 1 failed, 2 skipped or aborted. */
    public static void finished(String id, int outcome, Throwable thrown) {
        Probe.endTest();
        end(id, outcome, thrown);
    }

    /** A test that was not known before the run (an invocation of a parameterised test). */
    public static native void unexpected(String id, String name, String className);

    /** -1: the run is to stop; 0: go on without recording; 1: record. */
    private static native int test(String id);

    private static native void end(String id, int outcome, Throwable thrown);
}
