package reneri.rt;

/** Passes the reports of the test driver on to the native side. */
public final class Events {
    private Events() {
    }

    /** Reports that a test is about to run. False if the run is to stop. */
    public static boolean started(String id) {
        if (!startTest(id)) {
            return false;
        }
        Probe.next();
        return true;
    }

    /** Reports the end of a test. The outcome is 0 for passed, 1 for failed, 2 for skipped or aborted. */
    public static void finished(String id, int outcome, Throwable thrown) {
        endTest(id, outcome, thrown);
        Probe.next();
    }

    /** Reports the end of the class whose tests ran last, and whether it has changed what tests share with the whole JVM. */
    public static native void classEnded(boolean disturbed);

    /** Reports a test that discovery did not find, such as an invocation of a parameterised test. */
    public static native void testFound(String id, String name, String className);

    /** False if the run is to stop. */
    private static native boolean startTest(String id);

    private static native void endTest(String id, int outcome, Throwable thrown);
}
