package reneri.driver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/** A run of selected tests of a class: translates JUnit 4's events about descriptions into events about ids for a {@link Listener}. */
final class JUnit4Run extends RunListener {
    private final String className;
    private final Set<String> selected;
    private final Progress progress;
    private final Names names;
    private final Function<Class<?>, Runner> runners;
    private final Notifier notifier = new Notifier();

    /** Ids of the tests that have not started yet, by display name, in the order of the runner. */
    private final Map<String, Deque<String>> waiting = new HashMap<>();
    /** Ids of the tests in the runner's description. */
    private final Set<String> announced = new HashSet<>();
    /** Ids that are selected, but neither announced nor started so far. */
    private final Set<String> missing = new LinkedHashSet<>();
    /** The number of tests with each display name that started without being announced. */
    private final Map<String, Integer> unannounced = new HashMap<>();
    /** Display names of reported tests by id: the selected ones, and those found during the run. */
    private final Map<String, String> reported = new LinkedHashMap<>();

    /** Ids of the running tests; null for a test that is not selected. */
    private final Map<Description, String> running = new HashMap<>();
    private final Map<String, Throwable> failed = new HashMap<>();
    private final Map<String, Throwable> aborted = new HashMap<>();

    private Description root = Description.EMPTY;
    /** Whether all selected tests were announced. In that case, any other test is new. */
    private boolean complete;
    private boolean foundTests;

    JUnit4Run(String className, Set<String> selected, Progress progress, Names names, Function<Class<?>, Runner> runners) {
        this.className = className;
        this.selected = selected;
        this.progress = progress;
        this.names = names;
        this.runners = runners;
    }

    void execute(ClassLoader project) {
        JUnit4Class tests;
        try {
            tests = prepare(project);
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            failAll(selected, e);
            return;
        }
        notifier.addListener(this);
        try {
            tests.runner.run(notifier);
        } catch (StoppedByUserException e) {
            return;
        } catch (Throwable e) {
            // Runners report exceptions of tests, so this one comes from the runner itself.
            failAll(selected, e);
        }
        for (String id : selected) {
            boolean representsInvocations = foundTests && announced.contains(id);
            if (!progress.isFinished(id) && !representsInvocations) {
                progress.finish(id, Listener.SKIPPED, null);
            }
        }
    }

    private JUnit4Class prepare(ClassLoader project) throws ClassNotFoundException {
        Class<?> testClass = Class.forName(className, false, project);
        JUnit4Class tests = new JUnit4Class(testClass, runners.apply(testClass));
        missing.addAll(selected);
        for (JUnit4Class.Leaf leaf : tests.leaves) {
            announced.add(leaf.id);
            if (missing.remove(leaf.id)) {
                reported.put(leaf.id, leaf.description.getDisplayName());
            }
        }
        complete = missing.isEmpty();
        root = tests.runner.getDescription();
        // If a selected test is missing, all tests must run, because any of them may turn out to be it.
        if (complete) {
            try {
                tests.filter(selected);
            } catch (NoTestsRemainException e) {
                tests = new JUnit4Class(testClass, runners.apply(testClass));
            }
        }
        Map<String, Integer> remaining = new HashMap<>();
        for (Description leaf : JUnit4Class.leavesOf(tests.runner.getDescription())) {
            remaining.merge(leaf.getDisplayName(), 1, Integer::sum);
        }
        for (JUnit4Class.Leaf leaf : tests.leaves) {
            String name = leaf.description.getDisplayName();
            // If fewer tests of this name remain than there were, the filter has worked, and the remaining ones are the selected ones.
            boolean filtered = remaining.getOrDefault(name, 0) < tests.namesakes.get(name);
            if (!filtered || selected.contains(leaf.id)) {
                waiting.computeIfAbsent(name, unused -> new ArrayDeque<>()).add(leaf.id);
            }
        }
        return tests;
    }

    /** The id of a test that starts now; null if it is not selected. */
    private String take(Description description) {
        String name = description.getDisplayName();
        Deque<String> ids = waiting.get(name);
        String id = ids == null ? null : ids.poll();
        boolean isAnnounced = id != null;
        while (id == null) {
            String next = JUnit4Class.id(className, description, unannounced.merge(name, 1, Integer::sum));
            id = announced.contains(next) ? null : next;
        }
        if (isAnnounced && selected.contains(id)) {
            return id;
        }
        if (missing.remove(id)) {
            reported.put(id, name);
            return id;
        }
        // If the toString() of its parameters has changed, the same test has a different display name.
        String method = JUnit4Class.methodOf(id);
        for (String candidate : missing) {
            if (JUnit4Class.methodOf(candidate).equals(method)) {
                missing.remove(candidate);
                reported.put(candidate, name);
                return candidate;
            }
        }
        if (!complete || isAnnounced) {
            return null;
        }
        foundTests = true;
        reported.put(id, name);
        JUnit4Class.Leaf leaf = new JUnit4Class.Leaf(id, description);
        progress.addTest(id, names.unique(id, leaf.name()), leaf.className());
        return id;
    }

    /** Stops a run as JUnit does: an exception at the start of a test ends the runner, after its tear-down. */
    private final class Notifier extends RunNotifier {
        @Override
        public void fireTestStarted(Description description) throws StoppedByUserException {
            // JMockit replaces the method of the superclass by one that calls this one again.
            if (running.containsKey(description)) {
                super.fireTestStarted(description);
                return;
            }
            if (progress.stopped()) {
                throw new StoppedByUserException();
            }
            String id = take(description);
            if (progress.stopped() || id != null && !progress.start(id)) {
                throw new StoppedByUserException();
            }
            running.put(description, id);
            super.fireTestStarted(description);
        }
    }

    @Override
    public void testFailure(Failure failure) {
        Description description = failure.getDescription();
        Throwable thrown = failure.getException();
        if (!running.containsKey(description)) {
            failAll(reportedBelow(description), thrown);
            return;
        }
        String id = running.get(description);
        if (id != null) {
            failed.putIfAbsent(id, thrown);
        } else if (Names.isInstead(description.getDisplayName())) {
            failAll(missing, thrown);
        }
    }

    // No @Override: JUnit 4.4 does not have it.
    public void testAssumptionFailure(Failure failure) {
        String id = running.get(failure.getDescription());
        if (id != null) {
            aborted.putIfAbsent(id, failure.getException());
        } else if (!running.containsKey(failure.getDescription())) {
            for (String below : reportedBelow(failure.getDescription())) {
                if (!progress.isFinished(below)) {
                    progress.finish(below, Listener.SKIPPED, failure.getException());
                }
            }
        }
    }

    @Override
    public void testIgnored(Description description) {
        String id = progress.stopped() ? null : take(description);
        if (id != null) {
            progress.finish(id, Listener.SKIPPED, null);
        }
    }

    @Override
    public void testFinished(Description description) {
        String id = running.remove(description);
        if (id == null) {
            return;
        }
        if (failed.containsKey(id)) {
            progress.finish(id, Listener.FAILED, failed.get(id));
        } else if (aborted.containsKey(id)) {
            progress.finish(id, Listener.SKIPPED, aborted.get(id));
        } else {
            progress.finish(id, Listener.PASSED, null);
        }
    }

    /** The reported tests that {@code description} is or contains, or all tests of the class if it is unknown. The description is not running. */
    private Collection<String> reportedBelow(Description description) {
        Description node = description.getChildren().isEmpty() ? find(root, description) : description;
        if (node == null || node.equals(root)) {
            Set<String> all = new LinkedHashSet<>(selected);
            all.addAll(reported.keySet());
            return all;
        }
        Set<String> displayNames = new HashSet<>();
        for (Description leaf : JUnit4Class.leavesOf(node)) {
            displayNames.add(leaf.getDisplayName());
        }
        Collection<String> below = new ArrayList<>();
        for (Map.Entry<String, String> entry : reported.entrySet()) {
            if (displayNames.contains(entry.getValue())) {
                below.add(entry.getKey());
            }
        }
        return below;
    }

    private static Description find(Description node, Description wanted) {
        if (node.equals(wanted)) {
            return node;
        }
        for (Description child : node.getChildren()) {
            Description found = find(child, wanted);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private void failAll(Collection<String> ids, Throwable thrown) {
        for (String id : new ArrayList<>(ids)) {
            progress.finish(id, Listener.FAILED, thrown);
        }
    }
}
