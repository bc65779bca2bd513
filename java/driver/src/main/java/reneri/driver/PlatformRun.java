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

/** One run of selected tests: translates what the launcher tells of tests and containers to what a {@link Listener} is told of ids. */
final class PlatformRun implements TestExecutionListener {
    /** The part of a unique id that only running adds: a numbered invocation. */
    private static final Pattern INVOCATION = Pattern.compile("/\\[[^\\[\\]]*:#\\d+]");

    /** The parameters in the Vintage engine's ids, {@code %5B} and {@code %5D} being brackets, unless they are just a number. */
    private static final Pattern NAMED_PARAMETERS = Pattern.compile("%5B(?!\\d+%5D).*", Pattern.DOTALL);

    final Progress progress;
    PlatformStop stop;

    private final Set<String> selected;
    private final Names names;
    /** Whether what runs are renamed tests of the Vintage engine, to be told by their place. */
    private final boolean byPlace;
    /** Selected ids of renamed tests, by their ids of today. */
    private final Map<String, String> idBefore = new HashMap<>();
    /** Selected, or unexpected and reported, in that order. */
    private final Set<String> reported;
    /** Selected, and stands for invocations that were reported. */
    private final Set<String> represented = new HashSet<>();
    /** Ids that the engines announced before they ran anything. */
    private final Set<String> announced = new HashSet<>();
    private TestPlan plan;

    PlatformRun(Set<String> selected, Progress progress, Names names, boolean byPlace) {
        this.selected = selected;
        this.progress = progress;
        this.names = names;
        this.byPlace = byPlace;
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
        if (byPlace) {
            id = bind(id);
        }
        if (!byPlace && !selected.contains(id) && !announced.contains(id) && isAskedFor(id)) {
            PlatformName name = new PlatformName(plan, identifier);
            reported.add(id);
            progress.unexpected(id, names.unique(id, name.name), name.className);
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

    /** Whether a test that only the run knows comes from one that is selected. */
    private boolean isAskedFor(String id) {
        // Invocations of a class template stand before the method: without them the id is the one that discovery gave.
        for (String candidate : new String[] {id, INVOCATION.matcher(id).replaceAll("")}) {
            for (String prefix = candidate; !prefix.isEmpty(); prefix = parent(prefix)) {
                if (selected.contains(prefix)) {
                    represented.add(prefix);
                    return true;
                }
            }
        }
        // Some runners of the Vintage engine (Spock 1) announce a method and run iterations beside it. A run that asks for single
        // iterations asks for nothing else.
        if (!announced.containsAll(selected)) {
            return false;
        }
        String container = parent(id);
        for (String other : selected) {
            if (parent(other).equals(container)) {
                represented.add(other);
            }
        }
        return represented.stream().anyMatch(other -> parent(other).equals(container));
    }

    /** The selected test that a renamed test is: the first one of the same method that has not come yet. */
    private String bind(String today) {
        for (String before : selected) {
            if (!idBefore.containsValue(before) && method(before).equals(method(today))) {
                idBefore.put(today, before);
                return before;
            }
        }
        return today;
    }

    private static String method(String id) {
        return runner(id) + NAMED_PARAMETERS.matcher(id.substring(id.lastIndexOf("/[") + 1)).replaceFirst("");
    }

    /** The part of an id of the Vintage engine that stands for the class. */
    static String runner(String id) {
        int engine = id.indexOf("/[runner:");
        int end = id.indexOf("/[", engine + 1);
        return engine < 0 || end < 0 ? id : id.substring(0, end);
    }

    /**
     * Selected tests of the Vintage engine that did not come, and can have another name today: that of a parameterised test can contain the
     * toString() of its parameters, and so can its id.
     */
    Set<String> renamed() {
        Set<String> renamed = new LinkedHashSet<>();
        for (String id : selected) {
            boolean came = progress.isFinished(id) || represented.contains(id);
            if (!progress.stopped() && !came && id.contains("/[runner:") && NAMED_PARAMETERS.matcher(id).find()) {
                renamed.add(id);
            }
        }
        return renamed;
    }

    private static String parent(String id) {
        int last = id.lastIndexOf("/[");
        return last < 0 ? "" : id.substring(0, last);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        String id = idBefore.getOrDefault(identifier.getUniqueId(), identifier.getUniqueId());
        Throwable thrown = result.getThrowable().orElse(null);
        int outcome = outcome(result);
        if (identifier.isTest() && reported.contains(id)) {
            progress.finish(id, outcome, thrown);
        } else if (outcome == Listener.FAILED && identifier.isTest()) {
            // Nobody asked for it. But the Vintage engine reports a runner that cannot be made by a test of its own.
            // It also says so where its filter leaves none, which is no failure: the tests were renamed.
            boolean renamed = String.valueOf(thrown == null ? null : thrown.getMessage()).startsWith("No tests found matching");
            if (identifier.getDisplayName().startsWith("initializationError") && !renamed) {
                reportBelow(parent(id), outcome, thrown);
            }
        } else if (outcome != Listener.PASSED && !identifier.isTest()) {
            reportBelow(id, outcome, thrown);
        }
        if (progress.stopped()) {
            stop.stop();
        } else if (parent(parent(id)).isEmpty() && !parent(id).isEmpty()) {
            // Right below its engine: a class.
            progress.left();
        }
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

    /** What happens to a class, or to a template, happens to each of its tests; only a failure is told of those that ran. */
    private void reportBelow(String container, int outcome, Throwable thrown) {
        List<String> below = new ArrayList<>();
        for (String id : reported) {
            // The parts of an id are closed by a bracket, so this is no prefix of another name.
            if (id.startsWith(container) && !represented.contains(id) && (outcome == Listener.FAILED || !progress.isFinished(id))) {
                below.add(id);
            }
        }
        for (String id : below) {
            progress.finish(id, outcome, thrown);
        }
    }

    /** Once the launcher has returned: a test that did not show up is skipped. */
    void end() {
        for (String id : selected) {
            if (!progress.isFinished(id) && !represented.contains(id)) {
                progress.finish(id, Listener.SKIPPED, null);
            }
        }
    }
}
