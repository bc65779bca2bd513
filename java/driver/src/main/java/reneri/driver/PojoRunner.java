package reneri.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunNotifier;

/**
 * Runs the public {@code test…()} methods of a class that extends no test class, as surefire's PojoTestSetExecutor does: all on one instance, each
 * between {@code setUp()} and {@code tearDown()}.
 */
final class PojoRunner extends Runner implements Filterable {
    private final Class<?> testClass;
    private final List<Method> methods = new ArrayList<>();

    PojoRunner(Class<?> testClass) {
        this.testClass = testClass;
        for (Method method : testClass.getMethods()) {
            boolean isPlain = method.getParameterTypes().length == 0 && method.getReturnType() == void.class
                && !Modifier.isStatic(method.getModifiers());
            if (isPlain && method.getName().startsWith("test")) {
                methods.add(method);
            }
        }
        methods.sort(Comparator.comparing(Method::getName));
    }

    /** Surefire's PojoAndJUnit3Checker accepts every class that it can instantiate; a class without test methods has no tests, though. */
    static boolean takes(Class<?> testClass) {
        try {
            testClass.getConstructor();
        } catch (NoSuchMethodException e) {
            return false;
        }
        return !Modifier.isAbstract(testClass.getModifiers()) && !new PojoRunner(testClass).methods.isEmpty();
    }

    @Override
    public Description getDescription() {
        Description all = Description.createSuiteDescription(testClass);
        methods.forEach(method -> all.addChild(describe(method)));
        return all;
    }

    private Description describe(Method method) {
        return Description.createTestDescription(testClass, method.getName());
    }

    @Override
    public void filter(Filter filter) {
        methods.removeIf(method -> !filter.shouldRun(describe(method)));
    }

    @Override
    public void run(RunNotifier notifier) {
        Object test = null;
        for (Method method : methods) {
            Description description = describe(method);
            notifier.fireTestStarted(description);
            try {
                if (test == null) {
                    test = testClass.getConstructor().newInstance();
                }
                invoke(test, "setUp");
                try {
                    method.invoke(test);
                } finally {
                    invoke(test, "tearDown");
                }
            } catch (InvocationTargetException e) {
                notifier.fireTestFailure(new Failure(description, e.getCause()));
            } catch (ReflectiveOperationException e) {
                notifier.fireTestFailure(new Failure(description, e));
            }
            notifier.fireTestFinished(description);
        }
    }

    private static void invoke(Object test, String name) throws InvocationTargetException, IllegalAccessException {
        try {
            test.getClass().getMethod(name).invoke(test);
        } catch (NoSuchMethodException e) {
            // Both methods are optional.
        }
    }
}
