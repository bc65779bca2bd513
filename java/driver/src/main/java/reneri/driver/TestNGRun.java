package reneri.driver;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.testng.IConfigurationListener;
import org.testng.IInvokedMethod;
import org.testng.IInvokedMethodListener;
import org.testng.IMethodInstance;
import org.testng.IMethodInterceptor;
import org.testng.ISuite;
import org.testng.ISuiteListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.annotations.Test;

/**
 * A run of selected tests: translates TestNG's events about results into events about ids for a {@link Listener}. A test ends after its
 * {@code @AfterMethod}s, which TestNG runs after it has reported the result.
 */
final class TestNGRun implements ISuiteListener, ITestListener, IInvokedMethodListener, IConfigurationListener,
    IMethodInterceptor {
    /** Whether all invocations run and are reported. */
    private final boolean wholeClasses;
    private final Progress progress;
    private final Names names;
    private final TestNGIds ids = new TestNGIds();

    private final Set<String> selected;
    /** Selected ids by the key of their method. */
    private final Map<String, List<String>> byKey = new LinkedHashMap<>();
    /** The number of invocations so far, by key. */
    private final Map<String, Integer> invocations = new HashMap<>();
    /** Numbers of the requested invocations, by key. Methods without an entry run all. */
    private final Map<String, List<Integer>> requested = new HashMap<>();
    /** Selected ids that represent reported invocations. */
    private final Set<String> represented = new HashSet<>();
    private final List<String> finished = new ArrayList<>();

    private ITestResult current;
    /** Null if the running test is not selected. */
    private String currentId;
    /** Whether the current test has its outcome. */
    private boolean ended;
    private int outcome;
    private Throwable thrown;
    /** The last exception of a set-up or tear-down, which makes TestNG skip tests. */
    private Throwable configurationFailure;

    TestNGRun(List<String> ids, boolean wholeClasses, Progress progress, Names names) {
        this.selected = new LinkedHashSet<>(ids);
        this.wholeClasses = wholeClasses;
        this.progress = progress;
        this.names = names;
        for (String id : ids) {
            byKey.computeIfAbsent(TestNGIds.key(id), unused -> new ArrayList<>()).add(id);
        }
    }

    boolean takes(ITestNGMethod method) {
        return byKey.containsKey(ids.key(method));
    }

    boolean hasTestsOf(String suite) {
        return byKey.keySet().stream().anyMatch(key -> key.startsWith(suite + '\t'));
    }

    @Override
    public void onStart(ISuite suite) {
        for (ITestNGMethod method : suite.getAllMethods()) {
            method.setThreadPoolSize(0);
            Set<Integer> numbers = new TreeSet<>();
            for (String id : byKey.getOrDefault(ids.key(method), new ArrayList<>())) {
                numbers.add(TestNGIds.invocation(id));
            }
            // Only rows of a data provider can be selected; a method with an invocation count runs that often.
            if (!wholeClasses && !numbers.isEmpty() && !numbers.contains(0) && method.getInvocationCount() == 1) {
                requested.put(ids.key(method), new ArrayList<>(numbers));
                List<Integer> fromZero = new ArrayList<>();
                numbers.forEach(number -> fromZero.add(number - 1));
                method.setInvocationNumbers(fromZero);
            }
        }
    }

    /** Sorts the instances of a factory in the order in which they were made. TestNG orders them by hash codes, which differ from run to run. */
    @Override
    public List<IMethodInstance> intercept(List<IMethodInstance> methods, ITestContext context) {
        List<IMethodInstance> ordered = new ArrayList<>(methods);
        for (int i = 0; i < ordered.size(); i++) {
            for (int j = i + 1; j < ordered.size(); j++) {
                if (ids.isBefore(ordered.get(j).getMethod(), ordered.get(i).getMethod())) {
                    Collections.swap(ordered, i, j);
                }
            }
        }
        return ordered;
    }

    @Override
    public void onFinish(ISuite suite) {
        flush();
    }

    @Override
    public void onStart(ITestContext context) {}

    @Override
    public void onFinish(ITestContext context) {
        flush();
    }

    @Override
    public void beforeInvocation(IInvokedMethod method, ITestResult result) {
        ITestNGMethod invoked = method.getTestMethod();
        if (method.isTestMethod()) {
            // Called for skipped tests as well, with a result that is not the final one.
            if (result.getStatus() == ITestResult.STARTED) {
                begin(result);
            }
        } else if (!invoked.isAfterMethodConfiguration()) {
            flush();
        }
        boolean tearsDown = invoked.isAfterMethodConfiguration() || invoked.isAfterClassConfiguration() || invoked.isAfterGroupsConfiguration()
            || invoked.isAfterTestConfiguration() || invoked.isAfterSuiteConfiguration();
        if (progress.stopped() && !tearsDown) {
            throw new SkipException("The run was stopped.");
        }
    }

    @Override
    public void afterInvocation(IInvokedMethod method, ITestResult result) {}

    @Override
    public void onTestStart(ITestResult result) {
        begin(result);
    }

    /** Starts a test, at the first of several events that report it. */
    private void begin(ITestResult result) {
        if (result == current) {
            return;
        }
        flush();
        current = result;
        currentId = progress.stopped() ? null : take(result);
        if (currentId != null) {
            progress.start(currentId);
        }
    }

    /** The id under which the invocation is reported. */
    private String take(ITestResult result) {
        ITestNGMethod method = result.getMethod();
        String key = ids.key(method);
        List<String> candidates = byKey.get(key);
        if (candidates == null) {
            // A method on which a selected test depends.
            return null;
        }
        int count = invocations.merge(key, 1, Integer::sum);
        List<Integer> numbers = requested.get(key);
        int number = numbers != null && count <= numbers.size() ? numbers.get(count - 1) : count;
        String whole = TestNGIds.withInvocation(candidates.get(0), "");
        if (number == 1 && (!hasInvocations(method) || hasNoParameters(result))) {
            if (wholeClasses && !selected.contains(whole)) {
                progress.addTest(whole, names.unique(whole, ids.name(method)), TestNGIds.className(whole));
                return whole;
            }
            return selected.contains(whole) ? whole : null;
        }
        String id = TestNGIds.withInvocation(candidates.get(0), String.valueOf(number));
        if (wholeClasses || selected.contains(whole)) {
            represented.add(whole);
            if (!selected.contains(id)) {
                progress.addTest(id, names.unique(id, ids.name(method) + '[' + number + ']'), TestNGIds.className(id));
            }
            return id;
        }
        return selected.contains(id) ? id : null;
    }

    private static boolean hasInvocations(ITestNGMethod method) {
        return method.getInvocationCount() > 1 || hasProvider(method);
    }

    private static boolean hasProvider(ITestNGMethod method) {
        Method java = method.getConstructorOrMethod().getMethod();
        Test annotation = java.getAnnotation(Test.class);
        for (Class<?> type = TestNGIds.classOf(method); annotation == null && type != null; type = type.getSuperclass()) {
            annotation = type.getAnnotation(Test.class);
        }
        return annotation != null && !annotation.dataProvider().isEmpty();
    }

    /** Whether TestNG reports the test as a whole, because it did not get as far as calling the data provider. */
    private static boolean hasNoParameters(ITestResult result) {
        boolean needsSome = result.getMethod().getConstructorOrMethod().getMethod().getParameterTypes().length > 0;
        return needsSome && (result.getParameters() == null || result.getParameters().length == 0);
    }

    @Override
    public void onTestSuccess(ITestResult result) {
        end(result, Listener.PASSED, null);
    }

    @Override
    public void onTestFailure(ITestResult result) {
        end(result, Listener.FAILED, result.getThrowable());
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        end(result, Listener.PASSED, null);
    }

    @Override
    public void onTestSkipped(ITestResult result) {
        Throwable reason = result.getThrowable();
        if (isRetried(result)) {
            begin(result);
            // The next attempt is the same invocation.
            invocations.merge(ids.key(result.getMethod()), -1, Integer::sum);
            current = null;
            return;
        }
        boolean byDependency = reason != null && String.valueOf(reason.getMessage()).contains("depends on not successfully finished");
        if (configurationFailure == null || reason instanceof SkipException || byDependency) {
            end(result, Listener.SKIPPED, reason);
        } else {
            end(result, Listener.FAILED, configurationFailure);
        }
    }

    /** Whether the test will be retried: {@code ITestResult.wasRetried}, which versions before 7 do not have. */
    private static boolean isRetried(ITestResult result) {
        try {
            return (Boolean) ITestResult.class.getMethod("wasRetried").invoke(result);
        } catch (ReflectiveOperationException e) {
            return result.getThrowable() != null && !(result.getThrowable() instanceof SkipException)
                && hasRetryAnalyzer(result.getMethod());
        }
    }

    private static boolean hasRetryAnalyzer(ITestNGMethod method) {
        try {
            return ITestNGMethod.class.getMethod("getRetryAnalyzer").invoke(method) != null;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private void end(ITestResult result, int outcome, Throwable thrown) {
        begin(result);
        ended = true;
        this.outcome = outcome;
        this.thrown = thrown;
    }

    /** Reports the test that has ended, because something else than its tear-down begins. */
    private void flush() {
        if (ended && currentId != null) {
            finished.add(currentId);
            progress.finish(currentId, outcome, thrown);
        }
        ended = false;
        current = null;
        currentId = null;
    }

    @Override
    public void onConfigurationSuccess(ITestResult result) {}

    @Override
    public void onConfigurationSkip(ITestResult result) {}

    @Override
    public void onConfigurationFailure(ITestResult result) {
        configurationFailure = result.getThrowable();
        ITestNGMethod method = result.getMethod();
        if (method.isAfterMethodConfiguration() && ended) {
            outcome = Listener.FAILED;
            thrown = configurationFailure;
        } else if (method.isAfterClassConfiguration()) {
            flush();
            failAll(TestNGIds.classOf(method).getName());
        } else if (method.isAfterGroupsConfiguration() || method.isAfterTestConfiguration() || method.isAfterSuiteConfiguration()) {
            flush();
            failAll(null);
        }
    }

    /** @param className null for tests of every class */
    private void failAll(String className) {
        for (String id : new ArrayList<>(finished)) {
            if (className == null || TestNGIds.className(id).equals(className)) {
                progress.finish(id, Listener.FAILED, configurationFailure);
            }
        }
    }

    /** Handles an exception of TestNG itself. */
    void failed(Throwable reason) {
        configurationFailure = reason;
    }

    /** Called when TestNG has returned: selected tests that did not run are skipped, or failed with the exception that kept them from running. */
    void end() {
        flush();
        for (String id : selected) {
            if (!progress.isFinished(id) && !represented.contains(id)) {
                progress.finish(id, configurationFailure == null ? Listener.SKIPPED : Listener.FAILED, configurationFailure);
            }
        }
    }
}
