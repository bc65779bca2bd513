package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs TestNG tests and then the JUnit tests beside them, as surefire's TestNG provider does: a class is JUnit's by surefire's
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
        List<String> ofTestNG = new ArrayList<>();
        List<String> ofJUnit = new ArrayList<>();
        for (String className : classNames) {
            (isJUnit(Class.forName(className, false, project)) ? ofJUnit : ofTestNG).add(className);
        }
        List<String> found = new ArrayList<>();
        for (String text : testng.discover(ofTestNG.toArray(new String[0]), groups, excludedGroups)) {
            found.add(text);
        }
        // TestNG knows nothing of categories, so surefire's groups leave JUnit tests alone.
        String[] others = junit.discover(ofJUnit.toArray(new String[0]), null, null);
        for (int i = 0; i < others.length; i++) {
            found.add(i % 3 == 0 ? PREFIX + others[i] : others[i]);
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
    public void run(String[] ids, boolean stopAtFirstFailure, Listener listener) throws Exception {
        List<String> ofTestNG = new ArrayList<>();
        List<String> ofJUnit = new ArrayList<>();
        for (String id : ids) {
            if (id.startsWith(PREFIX)) {
                ofJUnit.add(id.substring(PREFIX.length()));
            } else {
                ofTestNG.add(id);
            }
        }
        Relay relay = new Relay(listener);
        testng.run(ofTestNG.toArray(new String[0]), stopAtFirstFailure, relay);
        if (!relay.refused && !(relay.failed && stopAtFirstFailure)) {
            relay.prefix = PREFIX;
            junit.run(ofJUnit.toArray(new String[0]), stopAtFirstFailure, relay);
        }
    }

    @Override
    public void close() throws Exception {
        testng.close();
        junit.close();
    }

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
        public void left(boolean disturbed) {
            listener.left(disturbed);
        }

        @Override
        public void unexpected(String id, String displayName, String className) {
            listener.unexpected(prefix + id, displayName, className);
        }
    }
}
