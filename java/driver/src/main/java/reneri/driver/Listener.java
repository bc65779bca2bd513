package reneri.driver;

/** Receives the events of a {@link Driver#run}, in the thread that runs the tests. */
public interface Listener {
    int PASSED = 0;
    int FAILED = 1;
    /** Ignored, disabled, or stopped by an assumption that does not hold. */
    int SKIPPED = 2;

    /**
     * A test is about to start. This is also called for a test that cannot start because its class failed, right before it is finished.
     *
     * @return false to stop the run. Then this test does not run if the engine can prevent it, and is not reported as finished
     */
    boolean started(String id);

    /**
     * A test has ended. The worst outcome counts: if the tear-down of a class fails later, this is called again with {@link #FAILED} for each of its
     * tests.
     *
     * @param thrown the exception of the test; null if it passed or was skipped by an annotation
     */
    void finished(String id, int outcome, Throwable thrown);

    /**
     * The top-level class of the tests that ran last has ended, tear-down included; everything that runs later belongs to the next tests. Drivers of
     * engines that do not report this, or that mix tests of several classes, do not call it.
     *
     * @param disturbed whether the class has changed what tests share with the whole JVM
     */
    void classEnded(boolean disturbed);

    /** A test that discovery cannot know is about to start: an invocation of a parameterised test, or a dynamic test. */
    void testFound(String id, String displayName, String className);
}
