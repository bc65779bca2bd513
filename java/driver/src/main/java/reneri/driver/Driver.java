package reneri.driver;

/**
 * Finds and runs the tests of a project with the project's own test engine. A driver belongs to the class loader that loads
 * the project, and is used by one thread at a time.
 */
public interface Driver extends AutoCloseable {

    /**
     * Finds the tests of these classes, in the order in which they run, without running them.
     *
     * <p>Invocations of parameterised tests and dynamic tests are known only when they run. They are represented by the test that
     * makes them; running it reports each invocation through {@link Listener#testFound}.
     *
     * @param classNames binary names, in the order in which the classes are to run; classes that are no test classes by surefire's rules are ignored
     * @param groups surefire's {@code groups}: tag expressions or category classes; null or empty for all
     * @param excludedGroups surefire's {@code excludedGroups}; null or empty for none
     * @return three strings for each test: its id, by which {@link #run} finds it, in other JVMs as well; its name for people, which is
     *     unique among the tests of this driver; the binary name of its class
     */
    String[] discover(String[] classNames, String groups, String excludedGroups) throws Exception;

    /**
     * Runs tests in the given order, but class by class, as the engine does, so that the set-up of a class runs once.
     *
     * <p>Each of {@code ids} is reported as finished at least once, unless the run is stopped, or the id represents invocations that are
     * reported themselves. A test that does not exist is reported as skipped.
     *
     * @param ids from {@link #discover} or {@link Listener#testFound}
     * @param wholeClasses whether these are all tests of their classes. If so, the engine gets no selection of tests, so that runners and
     *     extensions treat each class as complete, and invocations that are not among {@code ids} run and are reported, too
     */
    void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, Listener listener) throws Exception;

    /** Ends the engine's session, if it has one. */
    @Override
    void close() throws Exception;
}
