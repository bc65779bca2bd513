package reneri.rt;

/** What the test driver reports, handed on to the native side. */
public final class Events {
    private Events() {
    }

    /** Called right before a test runs; false when the run is to stop. */
    public static boolean started(String id) {
        if (!test(id)) {
            return false;
        }
        Probe.next();
        return true;
    }

    /** Outcome: 0 passed, 1 failed, 2 skipped or aborted. */
    public static void finished(String id, int outcome, Throwable thrown) {
        end(id, outcome, thrown);
        Probe.next();
    }

    /** The class of the tests that ran last is behind; whether it has disturbed what tests share with the whole JVM. */
    public static native void left(boolean disturbed);

    /** A test that was not known before the run (an invocation of a parameterised test). */
    public static native void unexpected(String id, String name, String className);

    /** False when the run is to stop. */
    private static native boolean test(String id);

    private static native void end(String id, int outcome, Throwable thrown);
}
