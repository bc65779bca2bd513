package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the TestNG tests of a project and then its JUnit tests, as surefire's TestNG provider does. The rule for JUnit classes is that of surefire's
 * TestNGDirectoryTestSuite. Ids of JUnit tests have a prefix.
 */
final class MixedDriver implements Driver {
    private static final String PREFIX = "junit:";

    private final ClassLoader project;
    private final Driver testng;
    private final Driver junit;

    MixedDriver(ClassLoader project, Driver testng, Driver junit) {
        this.project = project;
        this.testng = testng;
        this.junit = junit;
    }

    @Override
    public String[] discover(String[] classNames, String groups, String excludedGroups) throws Exception {
        List<String> testngClasses = new ArrayList<>();
        List<String> junitClasses = new ArrayList<>();
        for (String className : classNames) {
            (isJUnit(Class.forName(className, false, project)) ? junitClasses : testngClasses).add(className);
        }
        List<String> found = new ArrayList<>();
        for (String text : testng.discover(testngClasses.toArray(new String[0]), groups, excludedGroups)) {
            found.add(text);
        }
        // Surefire applies groups to TestNG tests only here.
        String[] junitTests = junit.discover(junitClasses.toArray(new String[0]), null, null);
        for (int i = 0; i < junitTests.length; i++) {
            found.add(i % 3 == 0 ? PREFIX + junitTests[i] : junitTests[i]);
        }
        return found.toArray(new String[0]);
    }

    private boolean isJUnit(Class<?> testClass) {
        Class<?> junit3 = find("junit.framework.Test");
        if (junit3 != null && junit3.isAssignableFrom(testClass) || isAnnotated(testClass.getAnnotations(), "org.junit.runner.RunWith")) {
            return true;
        }
        for (Method method : testClass.getMethods()) {
            if (isAnnotated(method.getAnnotations(), "org.junit.Test")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAnnotated(Annotation[] annotations, String name) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private Class<?> find(String className) {
        try {
            return Class.forName(className, false, project);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    @Override
    public void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, Listener listener) throws Exception {
        List<String> testngIds = new ArrayList<>();
        List<String> junitIds = new ArrayList<>();
        for (String id : ids) {
            if (id.startsWith(PREFIX)) {
                junitIds.add(id.substring(PREFIX.length()));
            } else {
                testngIds.add(id);
            }
        }
        Relay relay = new Relay(listener);
        testng.run(testngIds.toArray(new String[0]), wholeClasses, stopAtFirstFailure, relay);
        if (!relay.refused && !(relay.failed && stopAtFirstFailure)) {
            relay.prefix = PREFIX;
            junit.run(junitIds.toArray(new String[0]), wholeClasses, stopAtFirstFailure, relay);
        }
    }

    @Override
    public void close() throws Exception {
        testng.close();
        junit.close();
    }

    /** Adds the prefix to ids, and remembers whether the run is to stop. */
    private static final class Relay implements Listener {
        final Listener listener;
        String prefix = "";
        boolean refused;
        boolean failed;

        Relay(Listener listener) {
            this.listener = listener;
        }

        @Override
        public boolean started(String id) {
            refused = !listener.started(prefix + id);
            return !refused;
        }

        @Override
        public void finished(String id, int outcome, Throwable thrown) {
            failed |= outcome == FAILED;
            listener.finished(prefix + id, outcome, thrown);
        }

        @Override
        public void classEnded(boolean disturbed) {
            listener.classEnded(disturbed);
        }

        @Override
        public void testFound(String id, String displayName, String className) {
            listener.testFound(prefix + id, displayName, className);
        }
    }
}
