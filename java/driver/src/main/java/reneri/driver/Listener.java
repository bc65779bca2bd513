package reneri.driver;

/** Is told what happens to each test of a {@link Driver#run}; called by the thread that runs the tests. */
public interface Listener {
    int PASSED = 0;
    int FAILED = 1;
    /** Ignored, disabled, or an assumption does not hold. */
    int SKIPPED = 2;

    /**
     * A test is about to start. A test that cannot start because its class failed is started too, right before it is finished.
     *
     * @return false to stop the run: this test does not run where the engine can prevent it, and is not reported as finished
     */
    boolean started(String id);

    /**
     * A test ended. The worst outcome counts: it is called again with {@link #FAILED} for each test of a class whose
     * tear-down fails afterwards.
     *
     * @param thrown what it threw; null where it passed or was skipped by an annotation
     */
    void finished(String id, int outcome, Throwable thrown);

    /**
     * The top-level class of the tests that ran last is behind, with its tear-down: what runs from now on is for those that come next. An engine that
     * does not tell, or runs tests of several classes in turn, does not call this.
     *
     * @param disturbed what tests share with the whole JVM is not what it was ahead of the class
     */
    void left(boolean disturbed);

    /** A test that discovery could not know (an invocation of a parameterised test, a dynamic test) comes next. */
    void unexpected(String id, String displayName, String className);
}
