package reneri.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** A run of selected tests: translates the launcher's events about tests and containers into events about ids for a {@link Listener}. */
final class PlatformRun implements TestExecutionListener {
    /** The part of a unique id that exists only during a run: a numbered invocation. */
    private static final Pattern INVOCATION = Pattern.compile("/\\[[^\\[\\]]*:#\\d+]");

    /** Named parameters in ids of the Vintage engine, where {@code %5B} and {@code %5D} are brackets. */
    private static final Pattern NAMED_PARAMETERS = Pattern.compile("%5B(?!\\d+%5D).*", Pattern.DOTALL);

    final Progress progress;
    PlatformStop stop;

    private final Set<String> selected;
    private final Names names;
    /** Whether the run has whole classes, so that each test that was not announced belongs to it. */
    private final boolean wholeClasses;
    /** Whether this run looks for renamed tests of the Vintage engine, which are matched by method and order. */
    private final boolean byMethod;
    /** Selected ids of renamed tests, by their new ids. */
    private final Map<String, String> selectedIds = new HashMap<>();
    /** Reported ids: the selected ones, then those found during the run. */
    private final Set<String> reported;
    /** Selected ids that represent reported invocations. */
    private final Set<String> represented = new HashSet<>();
    /** Ids in the test plan before anything ran. */
    private final Set<String> announced = new HashSet<>();
    private TestPlan plan;

    PlatformRun(Set<String> selected, Progress progress, Names names, boolean wholeClasses, boolean byMethod) {
        this.selected = selected;
        this.progress = progress;
        this.names = names;
        this.wholeClasses = wholeClasses;
        this.byMethod = byMethod;
        reported = new LinkedHashSet<>(selected);
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        for (TestIdentifier root : testPlan.getRoots()) {
            announced.add(root.getUniqueId());
            for (TestIdentifier identifier : testPlan.getDescendants(root)) {
                announced.add(identifier.getUniqueId());
            }
        }
        stop.prepare();
    }

    @Override
    public void executionStarted(TestIdentifier identifier) {
        String id = identifier.getUniqueId();
        if (progress.stopped() || !identifier.isTest()) {
            return;
        }
        if (byMethod) {
            id = match(id);
        }
        if (!byMethod && !selected.contains(id) && !announced.contains(id) && (isSelected(id) || wholeClasses)) {
            PlatformName name = new PlatformName(plan, identifier);
            reported.add(id);
            progress.addTest(id, names.unique(id, name.name), name.className);
        }
        for (String template = parent(id); !template.isEmpty(); template = parent(template)) {
            if (selected.contains(template)) {
                represented.add(template);
            }
        }
        if (reported.contains(id) && !progress.start(id)) {
            stop.stop();
        }
    }

    /** Whether a test that was found during the run belongs to a selected one. */
    private boolean isSelected(String id) {
        // In an id, invocations of a class template come before the method. Without them, the id is the one from discovery.
        for (String candidate : new String[] {id, INVOCATION.matcher(id).replaceAll("")}) {
            for (String prefix = candidate; !prefix.isEmpty(); prefix = parent(prefix)) {
                if (selected.contains(prefix)) {
                    represented.add(prefix);
                    return true;
                }
            }
        }
        // Some runners of the Vintage engine (Spock 1) announce a method and run its iterations as siblings. If single iterations are
        // selected, they are not announced, and nothing else is selected.
        if (!announced.containsAll(selected)) {
            return false;
        }
        String container = parent(id);
        for (String sibling : selected) {
            if (parent(sibling).equals(container)) {
                represented.add(sibling);
            }
        }
        return represented.stream().anyMatch(sibling -> parent(sibling).equals(container));
    }

    /** The selected id of a renamed test: the first one of the same method that is not matched yet. */
    private String match(String newId) {
        for (String id : selected) {
            if (!selectedIds.containsValue(id) && method(id).equals(method(newId))) {
                selectedIds.put(newId, id);
                return id;
            }
        }
        return newId;
    }

    private static String method(String id) {
        return runner(id) + NAMED_PARAMETERS.matcher(id.substring(id.lastIndexOf("/[") + 1)).replaceFirst("");
    }

    /** The part of a Vintage engine's id up to the class. */
    static String runner(String id) {
        int engine = id.indexOf("/[runner:");
        int end = id.indexOf("/[", engine + 1);
        return engine < 0 || end < 0 ? id : id.substring(0, end);
    }

    /**
     * Selected tests of the Vintage engine that did not run and may have been renamed: the id of a parameterised test may contain the toString() of
     * its parameters.
     */
    Set<String> renamed() {
        Set<String> renamed = new LinkedHashSet<>();
        for (String id : selected) {
            boolean ran = progress.isFinished(id) || represented.contains(id);
            if (!progress.stopped() && !ran && id.contains("/[runner:") && NAMED_PARAMETERS.matcher(id).find()) {
                renamed.add(id);
            }
        }
        return renamed;
    }

    /** The id of the container right below the engine: a top-level class, a runner, or a suite. */
    static String topLevel(String id) {
        String top = id;
        for (String parent = parent(id); !parent(parent).isEmpty(); parent = parent(parent)) {
            top = parent;
        }
        return top;
    }

    /** Adds a test and everything that contains it, with the ids of discovery, which knows no invocations. */
    static void addWithAncestors(String id, Set<String> ids) {
        for (String known : new String[] {id, INVOCATION.matcher(id).replaceAll("")}) {
            for (String prefix = known; !prefix.isEmpty(); prefix = parent(prefix)) {
                ids.add(prefix);
            }
        }
    }

    private static String parent(String id) {
        int last = id.lastIndexOf("/[");
        return last < 0 ? "" : id.substring(0, last);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        String id = selectedIds.getOrDefault(identifier.getUniqueId(), identifier.getUniqueId());
        Throwable thrown = result.getThrowable().orElse(null);
        int outcome = outcome(result);
        if (identifier.isTest() && reported.contains(id)) {
            progress.finish(id, outcome, thrown);
        } else if (outcome == Listener.FAILED && identifier.isTest()) {
            // The test is not selected. The Vintage engine reports a runner that cannot be made as such a test. It does the same if a
            // filter leaves no test, which is no failure: the tests were renamed.
            boolean renamed = String.valueOf(thrown == null ? null : thrown.getMessage()).startsWith("No tests found matching");
            if (isInstead(id) && !renamed) {
                reportBelow(parent(id), outcome, thrown);
            }
        } else if (outcome != Listener.PASSED && !identifier.isTest()) {
            reportBelow(id, outcome, thrown);
        }
        if (progress.stopped()) {
            stop.stop();
        } else if (parent(parent(id)).isEmpty() && !parent(id).isEmpty()) {
            // A container right below its engine is a class.
            progress.endClass();
        }
    }

    /** Whether the id is that of a test of the Vintage engine that comes instead of others. */
    static boolean isInstead(String id) {
        String test = "/[test:";
        int last = id.lastIndexOf("/[");
        return id.startsWith(test, last) && Names.isInstead(id.substring(last + test.length()));
    }

    private static int outcome(TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL:
                return Listener.PASSED;
            case ABORTED:
                return Listener.SKIPPED;
            default:
                return Listener.FAILED;
        }
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        if (!progress.stopped()) {
            reportBelow(identifier.getUniqueId(), Listener.SKIPPED, null);
        }
    }

    /** Reports the outcome of a class or template for each of its tests; for tests that ran, only a failure is reported. */
    private void reportBelow(String container, int outcome, Throwable thrown) {
        List<String> below = new ArrayList<>();
        for (String id : reported) {
            // Parts of an id end with a bracket, so this cannot match a part of another name.
            if (id.startsWith(container) && !represented.contains(id) && (outcome == Listener.FAILED || !progress.isFinished(id))) {
                below.add(id);
            }
        }
        for (String id : below) {
            progress.finish(id, outcome, thrown);
        }
    }

    /** Called when the launcher has returned: reports selected tests that did not run as skipped. */
    void end() {
        for (String id : selected) {
            if (!progress.isFinished(id) && !represented.contains(id)) {
                progress.finish(id, Listener.SKIPPED, null);
            }
        }
    }
}
