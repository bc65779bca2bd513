package reneri.driver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.ISuite;
import org.testng.ISuiteListener;
import org.testng.ITestNGMethod;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/** Runs tests of TestNG 6.8 to 7 as surefire's TestNG provider does: all classes as one suite, or the suite files of the project. */
public final class TestNGDriver implements Driver {
    private final ClassLoader project;
    private final TestNGSuites suites;
    private final Names names = new Names();

    public TestNGDriver(ClassLoader project, Map<String, String> parameters) {
        this.project = project;
        this.suites = new TestNGSuites(project, parameters);
    }

    /** The groups come from the parameters of the engine, because they also decide which set-up runs when single tests run. */
    @Override
    public String[] discover(String[] classNames, String groups, String excludedGroups) throws Exception {
        try (Surroundings ignored = new Surroundings(project)) {
            TestNGSelector.selection = null;
            List<String> found = new ArrayList<>();
            TestNGIds ids = new TestNGIds();
            for (XmlSuite suite : suites.of(Arrays.asList(classNames))) {
                List<ITestNGMethod> methods = methods(suite);
                methods.forEach(ids::key);
                TestNGNeeds needs = new TestNGNeeds(suites.areFiles() ? Collections.emptyList() : classes(suite));
                for (ITestNGMethod method : methods) {
                    Set<ITestNGMethod> dependencies = TestNGDependencies.of(Collections.singleton(method), methods);
                    String needed = suites.areFiles() ? "" : needs.of(dependencies, ids);
                    String id = TestNGIds.id(ids.key(method), "", needed, TestNGIds.otherClasses(method, dependencies));
                    found.add(id);
                    found.add(names.unique(id, ids.name(method)));
                    found.add(TestNGIds.classOf(method).getName());
                }
            }
            return found.toArray(new String[0]);
        }
    }

    private Collection<Class<?>> classes(XmlSuite suite) throws ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        for (XmlTest test : suite.getTests()) {
            for (XmlClass xmlClass : test.getXmlClasses()) {
                classes.add(Class.forName(xmlClass.getName(), false, project));
            }
        }
        return classes;
    }

    /** The methods in TestNG's plan. TestNG makes the plan and the instances of classes, calls its listeners, and is stopped at that point. */
    private List<ITestNGMethod> methods(XmlSuite suite) {
        Planned planned = new Planned();
        try {
            suites.testNG(Collections.singletonList(suite), planned).run();
        } catch (Planned.Stop e) {
            // Expected: the plan is complete.
        } catch (RuntimeException e) {
            throw new IllegalStateException("TestNG cannot list the tests of " + suite.getName() + ": " + e.getMessage(), e);
        }
        return planned.methods;
    }

    private static final class Planned implements ISuiteListener {
        final List<ITestNGMethod> methods = new ArrayList<>();

        @Override
        public void onStart(ISuite suite) {
            methods.addAll(suite.getAllMethods());
            throw new Stop();
        }

        @Override
        public void onFinish(ISuite suite) {}

        private static final class Stop extends RuntimeException {
            private static final long serialVersionUID = 1;
        }
    }

    @Override
    public void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, Listener listener) throws Exception {
        if (ids.length == 0) {
            return;
        }
        Set<String> classNames = new LinkedHashSet<>();
        Set<String> needed = new LinkedHashSet<>();
        for (String id : ids) {
            List<String> classes = Arrays.asList(TestNGIds.needs(id).split(","));
            if (classes.contains(TestNGIds.className(id))) {
                classNames.add(TestNGIds.className(id));
            }
            needed.addAll(classes);
        }
        // The requested classes come first, in their order.
        classNames.addAll(needed);
        try (Surroundings ignored = new Surroundings(project)) {
            Progress progress = new Progress(listener, stopAtFirstFailure);
            TestNGRun run = new TestNGRun(Arrays.asList(ids), wholeClasses, progress, names);
            TestNGSelector.selection = run::takes;
            List<XmlSuite> chosen = suites.of(classNames);
            chosen.removeIf(suite -> !run.hasTestsOf(suite.getName()));
            try {
                suites.testNG(chosen, run).run();
            } catch (RuntimeException | LinkageError e) {
                run.failed(e);
            }
            run.end();
            progress.rethrow();
        } finally {
            TestNGSelector.selection = null;
        }
    }

    @Override
    public void close() {}
}
