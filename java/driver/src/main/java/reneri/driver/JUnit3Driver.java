package reneri.driver;

import org.junit.runner.Runner;

/**
 * Runs the tests of a project that has JUnit 3 and no JUnit 4. It uses JUnit 4, and like surefire in such a project also runs classes that do not
 * extend {@code TestCase}.
 */
public final class JUnit3Driver extends JUnit4Driver {
    public JUnit3Driver(ClassLoader project) {
        super(project);
    }

    @Override
    boolean takes(Class<?> testClass, boolean grouped) {
        return super.takes(testClass, grouped) || PojoRunner.takes(testClass);
    }

    @Override
    Runner runner(Class<?> testClass) {
        return super.takes(testClass, false) ? super.runner(testClass) : new PojoRunner(testClass);
    }
}
