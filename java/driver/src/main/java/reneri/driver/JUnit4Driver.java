package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;

/** Runs JUnit 4 tests, and JUnit 3 tests by JUnit 4, through the runner of each class. */
public class JUnit4Driver implements Driver {
    private final ClassLoader project;
    private final Names names = new Names();

    public JUnit4Driver(ClassLoader project) {
        this.project = project;
    }

    @Override
    public String[] discover(String[] classNames, String groups, String excludedGroups) {
        try (Surroundings ignored = new Surroundings(project)) {
            Categories categories = Categories.of(groups, excludedGroups, project);
            List<String> found = new ArrayList<>();
            for (String className : classNames) {
                try {
                    Class<?> testClass = Class.forName(className, false, project);
                    if (!takes(testClass, categories != null)) {
                        continue;
                    }
                    for (JUnit4Class.Leaf leaf : new JUnit4Class(testClass, runner(testClass)).leaves) {
                        if (categories == null || categories.shouldRun(leaf.description, find(leaf.className()))) {
                            found.add(leaf.id);
                            found.add(names.unique(leaf.id, leaf.name()));
                            found.add(leaf.className());
                        }
                    }
                } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
                    throw new IllegalStateException("The tests of " + className + " cannot be listed: " + e, e);
                }
            }
            return found.toArray(new String[0]);
        }
    }

    /** Whole classes need nothing else: a class whose tests are all selected runs without a filter. */
    @Override
    public void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, Listener listener) throws Exception {
        Map<String, Set<String>> byClass = new LinkedHashMap<>();
        for (String id : ids) {
            byClass.computeIfAbsent(JUnit4Class.classOf(id), unused -> new LinkedHashSet<>()).add(id);
        }
        try (Surroundings ignored = new Surroundings(project)) {
            Progress progress = new Progress(listener, stopAtFirstFailure);
            for (Map.Entry<String, Set<String>> entry : byClass.entrySet()) {
                if (!progress.stopped()) {
                    new JUnit4Run(entry.getKey(), entry.getValue(), progress, names, this::runner).execute(project);
                    progress.endClass();
                }
            }
            progress.rethrow();
        }
    }

    @Override
    public void close() {}

    /**
     * Surefire's rule (JUnit4TestChecker, JUnit48TestChecker): not abstract, and a JUnit 3 test, or with {@code @RunWith}, or with
     * a declared or inherited {@code @Test} method. With groups, also an abstract class with {@code Enclosed}.
     */
    boolean takes(Class<?> testClass, boolean grouped) {
        RunWith runWith = testClass.getAnnotation(RunWith.class);
        if (Modifier.isAbstract(testClass.getModifiers())) {
            return grouped && runWith != null && runWith.value().getName().equals("org.junit.experimental.runners.Enclosed");
        }
        if (runWith != null || junit.framework.Test.class.isAssignableFrom(testClass) || hasSuite(testClass)) {
            return true;
        }
        for (Class<?> declaring = testClass; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                for (Annotation annotation : method.getAnnotations()) {
                    if (annotation.annotationType() == org.junit.Test.class) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** A new runner; each run needs one, because filtering and running change it. */
    Runner runner(Class<?> testClass) {
        return Request.aClass(testClass).getRunner();
    }

    private Class<?> find(String className) {
        try {
            return Class.forName(className, false, project);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** Whether the class composes tests as in JUnit 3, by a static method {@code suite()}. */
    private static boolean hasSuite(Class<?> testClass) {
        try {
            return Modifier.isStatic(testClass.getMethod("suite").getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
