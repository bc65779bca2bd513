package reneri.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.testng.ITestNGListener;
import org.testng.TestNG;
import org.testng.annotations.Test;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlMethodSelector;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * Makes TestNG's suites from test classes or from the suite files in surefire's configuration, as surefire's TestNGExecutor does, and configures
 * TestNG as surefire does. All settings of threads are left out, so tests run one after the other.
 */
final class TestNGSuites {
    private final ClassLoader project;
    /** The parameters from {@code TestEngine.java}: surefire's {@code properties} for TestNG, its groups and its suite files. */
    private final Map<String, String> parameters;

    TestNGSuites(ClassLoader project, Map<String, String> parameters) {
        this.project = project;
        this.parameters = parameters;
    }

    /** Whether the suites come from files. In that case, patterns of test classes and the order of classes have no effect. */
    boolean areFiles() {
        return parameters.containsKey("suitexmlfiles");
    }

    List<XmlSuite> of(Collection<String> classNames) throws Exception {
        List<XmlSuite> suites = areFiles() ? fromFiles() : fromClasses(classNames);
        for (XmlSuite suite : suites) {
            makeSequential(suite);
            suite.setDataProviderThreadCount(1);
            for (XmlTest test : suite.getTests()) {
                makeSequential(test);
                // Runs before TestNG's own selector (priority 10), which can still refuse methods that the suite file excludes.
                test.getMethodSelectors().add(selector(TestNGSelector.class, 1));
            }
        }
        return suites;
    }

    private List<XmlSuite> fromFiles() throws Exception {
        List<XmlSuite> suites = new ArrayList<>();
        for (String file : parameters.get("suitexmlfiles").split("\n")) {
            for (Object suite : parse(file)) {
                addWithChildren((XmlSuite) suite, suites);
            }
        }
        return suites;
    }

    /** By reflection, because versions have the parser in different packages. */
    private static Collection<?> parse(String file) throws Exception {
        Class<?> parser;
        try {
            parser = Class.forName("org.testng.xml.Parser", true, TestNG.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            parser = Class.forName("org.testng.xml.internal.Parser", true, TestNG.class.getClassLoader());
        }
        try {
            return (Collection<?>) parser.getMethod("parseToList").invoke(parser.getConstructor(String.class).newInstance(file));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("TestNG cannot read the suite file " + file + ": " + e.getCause(), e.getCause());
        }
    }

    private static void addWithChildren(XmlSuite suite, List<XmlSuite> suites) {
        List<XmlSuite> children = new ArrayList<>(suite.getChildSuites());
        suite.getChildSuites().clear();
        for (XmlSuite child : children) {
            addWithChildren(child, suites);
        }
        if (!suite.getTests().isEmpty()) {
            suites.add(suite);
        }
    }

    private List<XmlSuite> fromClasses(Collection<String> classNames) throws ClassNotFoundException {
        boolean isGrouped = TestNGGroups.set(parameters.get("groups"), parameters.get("excludegroups"));
        Map<String, XmlSuite> suites = new LinkedHashMap<>();
        Map<XmlSuite, Map<String, XmlTest>> tests = new IdentityHashMap<>();
        for (String className : classNames) {
            Test annotation = annotation(Class.forName(className, false, project));
            String suiteName = annotation == null || annotation.suiteName().trim().isEmpty() ? "Surefire suite" : annotation.suiteName();
            String testName = annotation == null || annotation.testName().trim().isEmpty() ? "Surefire test" : annotation.testName();
            XmlSuite suite = suites.computeIfAbsent(suiteName, name -> {
                XmlSuite created = new XmlSuite();
                created.setName(name);
                return created;
            });
            XmlTest test = tests.computeIfAbsent(suite, unused -> new HashMap<>()).computeIfAbsent(testName, name -> {
                XmlTest created = new XmlTest(suite);
                created.setName(name);
                created.setXmlClasses(new ArrayList<>());
                if (isGrouped) {
                    created.getMethodSelectors().add(selector(TestNGGroups.class, 9999));
                }
                return created;
            });
            XmlClass xmlClass = new XmlClass(className);
            xmlClass.setIndex(test.getXmlClasses().size());
            test.getXmlClasses().add(xmlClass);
        }
        return new ArrayList<>(suites.values());
    }

    private static Test annotation(Class<?> testClass) {
        for (Class<?> declaring = testClass; declaring != null; declaring = declaring.getSuperclass()) {
            if (declaring.isAnnotationPresent(Test.class)) {
                return declaring.getAnnotation(Test.class);
            }
        }
        return null;
    }

    private static XmlMethodSelector selector(Class<?> type, int priority) {
        XmlMethodSelector selector = new XmlMethodSelector();
        selector.setName(type.getName());
        selector.setPriority(priority);
        return selector;
    }

    /** Turns parallel execution off. By reflection, because the mode is a string before 6.9 and an enum from then on. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void makeSequential(Object suiteOrTest) throws ReflectiveOperationException {
        for (Method method : suiteOrTest.getClass().getMethods()) {
            if (method.getName().equals("setParallel") && method.getParameterTypes().length == 1) {
                Class type = method.getParameterTypes()[0];
                method.invoke(suiteOrTest, type == String.class ? "none" : Enum.valueOf(type, "NONE"));
            }
        }
    }

    /** @param listener reneri's own, which TestNG calls first */
    TestNG testNG(List<XmlSuite> suites, ITestNGListener listener) {
        TestNG testng = new TestNG(false);
        testng.addListener(listener);
        testng.configure(options());
        testng.setVerbose(0);
        testng.setUseDefaultListeners(false);
        // Reporters of the project write here, and not into the working directory.
        testng.setOutputDirectory(System.getProperty("java.io.tmpdir"));
        testng.setXmlSuites(suites);
        return testng;
    }

    /** The options, in the types to which {@code TestNG.configure} casts; see surefire's TestNGMapConfigurator. */
    private Map<String, Object> options() {
        Map<String, Object> options = new HashMap<>();
        options.put("-mixed", false);
        parameters.forEach((name, value) -> {
            switch (name) {
                case "skipfailedinvocationcounts":
                case "group-by-instances":
                    options.put('-' + name, Boolean.valueOf(value));
                    break;
                case "suitexmlfiles":
                    break;
                case "groups":
                case "excludegroups":
                    // With classes, these are expressions, which TestNGGroups evaluates.
                    if (areFiles()) {
                        options.put('-' + name, value);
                    }
                    break;
                default:
                    options.put('-' + name, value);
            }
        });
        return options;
    }
}
