package reneri.driver;

import java.lang.reflect.InvocationTargetException;

/** Chooses the driver for the test engine on the project's class path, as surefire does. */
public final class Drivers {
    private Drivers() {}

    /**
     * @param project class loader of the project's tests, of this class, and of the engine
     * @throws IllegalStateException whose message says what is missing, for people
     */
    public static Driver create(ClassLoader project) throws Exception {
        boolean platform = has(project, "org.junit.platform.launcher.Launcher") && has(project, "org.junit.platform.engine.TestEngine");
        boolean engine = project.getResource("META-INF/services/org.junit.platform.engine.TestEngine") != null;
        boolean junit4 = has(project, "org.junit.runner.Runner");
        if (platform && (engine || !junit4)) {
            if (!engine) {
                throw new IllegalStateException("The test class path has the JUnit Platform but no test engine for it (junit-jupiter-engine).");
            }
            return load(project, "reneri.driver.JUnitPlatformDriver");
        }
        if (junit4) {
            return load(project, "reneri.driver.JUnit4Driver");
        }
        if (has(project, "org.junit.jupiter.api.Test")) {
            throw new IllegalStateException("The tests use JUnit Jupiter, but junit-platform-launcher is not on the class path.");
        }
        if (has(project, "junit.framework.TestCase")) {
            throw new IllegalStateException("The tests use JUnit 3. JUnit 4.12 or newer runs them unchanged: depend on that.");
        }
        if (has(project, "org.testng.annotations.Test")) {
            throw new IllegalStateException("The tests use TestNG, which is not supported yet.");
        }
        throw new IllegalStateException("No test engine is on the test class path: neither JUnit 4 nor JUnit Platform.");
    }

    private static Driver load(ClassLoader project, String driver) throws Exception {
        try {
            return (Driver) Class.forName(driver, true, project).getConstructor(ClassLoader.class).newInstance(project);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
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
