package reneri.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.manipulation.Sortable;
import org.junit.runner.manipulation.Sorter;

/**
 * A test class with its runner, and its tests in the order of the runner. Each run needs a new one, because filtering and running change a runner.
 *
 * <p>The id of a test is {@code <class>/<display name>#<n>}: the requested class, which in suites and enclosed classes is not the one that
 * declares the test; JUnit's display name; and a number from 1, because parameterised tests may have equal display names.
 */
final class JUnit4Class {
    // The pattern of JUnit's Description, which JUnit 4.4 does not offer.
    private static final Pattern METHOD_AND_CLASS = Pattern.compile("([\\s\\S]*)\\((.*)\\)");
    private static final Pattern METHOD_AND_PARAMETERS = Pattern.compile("([\\p{L}_$][\\p{L}\\p{N}_$]*)(\\[[\\s\\S]*\\])?");

    private static final Pattern NAMED_PARAMETERS = Pattern.compile("\\[(?!\\d+\\])[\\s\\S]*");

    final Runner runner;
    final List<Leaf> leaves = new ArrayList<>();
    /** The number of tests with each display name. */
    final Map<String, Integer> namesakes = new HashMap<>();

    private final String className;

    JUnit4Class(Class<?> testClass, Runner runner) {
        className = testClass.getName();
        this.runner = runner;
        sort(runner);
        for (Description description : leavesOf(runner.getDescription())) {
            int n = namesakes.merge(description.getDisplayName(), 1, Integer::sum);
            leaves.add(new Leaf(id(className, description, n), description));
        }
    }

    /**
     * Sorts test methods as JUnit 4.11 and later do. Earlier versions run them as reflection lists them, which differs from JVM to JVM. The order of
     * the classes of a suite stays.
     */
    private static void sort(Runner runner) {
        try {
            Class.forName("org.junit.runners.MethodSorters", false, Runner.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            if (runner instanceof Sortable) {
                ((Sortable) runner).sort(new Sorter(JUnit4Class::byHash));
            }
        }
    }

    private static int byHash(Description a, Description b) {
        if (!a.getChildren().isEmpty() || !b.getChildren().isEmpty()) {
            return 0;
        }
        String nameA = a.getDisplayName();
        String nameB = b.getDisplayName();
        int byHash = Integer.compare(method(nameA).hashCode(), method(nameB).hashCode());
        return byHash == 0 ? nameA.compareTo(nameB) : byHash;
    }

    private static String method(String displayName) {
        Matcher parts = METHOD_AND_CLASS.matcher(displayName);
        return parts.matches() ? parts.group(1) : displayName;
    }

    static String id(String className, Description description, int n) {
        return className + '/' + description.getDisplayName() + '#' + n;
    }

    /** The requested class of an id. */
    static String classOf(String id) {
        int slash = id.indexOf('/');
        return slash < 0 ? id : id.substring(0, slash);
    }

    /** The class and method of an id, without named parameters, whose text may differ from run to run for the same test. */
    static String methodOf(String id) {
        return NAMED_PARAMETERS.matcher(id).replaceFirst("");
    }

    static List<Description> leavesOf(Description root) {
        List<Description> found = new ArrayList<>();
        collect(root, found);
        return found;
    }

    private static void collect(Description description, List<Description> found) {
        if (description.getChildren().isEmpty()) {
            found.add(description);
        } else {
            for (Description child : description.getChildren()) {
                collect(child, found);
            }
        }
    }

    /** Restricts the runner to these tests, as far as it supports filters. */
    void filter(Set<String> ids) throws NoTestsRemainException {
        for (Leaf leaf : leaves) {
            if (!ids.contains(leaf.id)) {
                new Selection(ids).apply(runner);
                return;
            }
        }
    }

    /** A test of the class. */
    static final class Leaf {
        final String id;
        final Description description;

        Leaf(String id, Description description) {
            this.id = id;
            this.description = description;
        }

        /** The name for people: {@code org.example.StackTest.pops()}, {@code org.example.StackTest.pops()[2]}. */
        String name() {
            Matcher parts = METHOD_AND_CLASS.matcher(description.getDisplayName());
            if (!parts.matches()) {
                return description.getDisplayName();
            }
            Matcher method = METHOD_AND_PARAMETERS.matcher(parts.group(1));
            if (!method.matches()) {
                return parts.group(2) + '.' + parts.group(1);
            }
            return parts.group(2) + '.' + method.group(1) + "()" + (method.group(2) == null ? "" : method.group(2));
        }

        /** The binary name of the test's class, which is the concrete one for an inherited test. */
        String className() {
            Matcher parts = METHOD_AND_CLASS.matcher(description.getDisplayName());
            return parts.matches() ? parts.group(2) : classOf(id);
        }
    }

    /**
     * Selects tests by id. JUnit's filters see descriptions, which are equal if the display names are. Runners ask for each test once, in their
     * order, so calls for equal names are counted.
     */
    private final class Selection extends Filter {
        private final Set<String> ids;
        private Map<String, Integer> seen = new HashMap<>();

        Selection(Set<String> ids) {
            this.ids = ids;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.getChildren().isEmpty()) {
                return isSelected(description, seen);
            }
            // If a test below is selected, the runner asks for each of them later.
            Map<String, Integer> ahead = new HashMap<>(seen);
            boolean any = false;
            for (Description leaf : leavesOf(description)) {
                any |= isSelected(leaf, ahead);
            }
            if (!any) {
                seen = ahead;
            }
            return any;
        }

        private boolean isSelected(Description leaf, Map<String, Integer> counts) {
            Integer equal = namesakes.get(leaf.getDisplayName());
            if (equal == null || equal == 1) {
                return ids.contains(id(className, leaf, 1));
            }
            int n = counts.merge(leaf.getDisplayName(), 1, Integer::sum);
            return ids.contains(id(className, leaf, (n - 1) % equal + 1));
        }

        @Override
        public String describe() {
            return "tests chosen by reneri";
        }
    }
}
