package reneri.driver;

/**
 * Finds and runs the tests of one project with the project's own test engine. A driver belongs to the class loader that loads
 * the project; it is used by one thread at a time.
 */
public interface Driver extends AutoCloseable {

    /**
     * Finds the tests of these classes, without running one, in the order in which they run.
     *
     * <p>What is only known when it runs (an invocation of a parameterised test, a dynamic test) is represented by the test from
     * which it comes: running that one reports each invocation through {@link Listener#unexpected}.
     *
     * @param classNames binary names, in the order in which the classes are to run; what is no test class by surefire's rules is left out
     * @param groups surefire's {@code groups}: tag expressions or category classes; null or empty for all
     * @param excludedGroups surefire's {@code excludedGroups}; null or empty for none
     * @return three strings for each test: its id, by which {@link #run} finds it again, in another JVM too; its name for people, unique
     *     among the tests of this driver; the binary name of its class
     */
    String[] discover(String[] classNames, String groups, String excludedGroups) throws Exception;

    /**
     * Runs tests, in the order given, but class by class, as the engine does, so that what a class sets up is set up once.
     *
     * <p>Each of {@code ids} is reported as finished at least once, unless the run was stopped, or the id stands for invocations which were
     * reported themselves. A test that no longer exists (a parameter fewer) is reported as skipped.
     *
     * @param ids as {@link #discover} or {@link Listener#unexpected} gave them
     */
    void run(String[] ids, boolean stopAtFirstFailure, Listener listener) throws Exception;

    /** Ends the engine's session, if it has one. */
    @Override
    void close() throws Exception;
}
