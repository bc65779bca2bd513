package reneri.driver;

import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.Map;

/** Makes the driver of the test engine that the recipe names. */
public final class Drivers {
    private Drivers() {}

    /**
     * @param project class loader of the project's tests, of this class, and of the engine
     * @param engine the name of the engine, as in {@code recipe::Engine}, and then names and values of its parameters in turn
     * @throws IllegalStateException with a message for people that says what is missing
     */
    public static Driver create(ClassLoader project, String... engine) throws Exception {
        switch (engine[0]) {
            case "JUnitPlatform":
                return platform(project);
            case "JUnit3":
                return load("reneri.driver.JUnit3Driver", project);
            case "JUnit4":
                return load("reneri.driver.JUnit4Driver", project);
            case "TestNG":
                Map<String, String> parameters = new HashMap<>();
                for (int i = 1; i + 1 < engine.length; i += 2) {
                    parameters.put(engine[i], engine[i + 1]);
                }
                Driver testng = load("reneri.driver.TestNGDriver", project, parameters);
                // Suite files contain classes of TestNG only.
                boolean mixed = has(project, "org.junit.runner.Runner") && has(project, "org.testng.junit.JUnit4TestRunner")
                    && !parameters.containsKey("suitexmlfiles");
                return mixed ? new MixedDriver(project, testng, load("reneri.driver.JUnit4Driver", project)) : testng;
            default:
                throw new IllegalStateException("There is no driver for " + engine[0] + ".");
        }
    }

    private static Driver platform(ClassLoader project) throws Exception {
        if (project.getResource("META-INF/services/org.junit.platform.engine.TestEngine") == null) {
            throw new IllegalStateException("The test class path has the JUnit Platform but no test engine for it (junit-jupiter-engine).");
        }
        return load("reneri.driver.JUnitPlatformDriver", project);
    }

    private static Driver load(String driver, ClassLoader project, Object... parameters) throws Exception {
        Class<?> type = Class.forName(driver, true, project);
        try {
            return (Driver) (parameters.length == 0
                ? type.getConstructor(ClassLoader.class).newInstance(project)
                : type.getConstructor(ClassLoader.class, Map.class).newInstance(project, parameters[0]));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof LinkageError) {
                throw new IllegalStateException(
                    "the test engine does not start, because the versions of its jars do not fit each other (" + e.getCause() + ")", e.getCause());
            }
            if (e.getCause() instanceof Error) {
                throw (Error) e.getCause();
            }
            throw (Exception) e.getCause();
        }
    }

    private static boolean has(ClassLoader project, String name) {
        try {
            Class.forName(name, false, project);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
