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
 * One test class with its runner, made anew for each run because filtering and running change it, and its tests in the runner's own order.
 *
 * <p>The id of a test is {@code <class>/<display name>#<n>}: the class that is asked for, which is not always the class that declares
 * (suites, enclosed classes), JUnit's display name, and a number from 1, because display names of parameterised tests can be equal.
 */
final class JUnit4Class {
    // As JUnit's own Description has it; the parser there is newer than JUnit 4.4.
    private static final Pattern METHOD_AND_CLASS = Pattern.compile("([\\s\\S]*)\\((.*)\\)");
    private static final Pattern METHOD_AND_PARAMETERS = Pattern.compile("([\\p{L}_$][\\p{L}\\p{N}_$]*)(\\[[\\s\\S]*\\])?");

    private static final Pattern NAMED_PARAMETERS = Pattern.compile("\\[(?!\\d+\\])[\\s\\S]*");

    final Runner runner;
    final List<Leaf> leaves = new ArrayList<>();
    /** How many tests have this display name. */
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
     * Before 4.11, JUnit runs methods as reflection lists them, in another order in each JVM: here in the order that it has given them since then.
     * What is inside of a suite stays where it is.
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

    private static int byHash(Description one, Description other) {
        if (!one.getChildren().isEmpty() || !other.getChildren().isEmpty()) {
            return 0;
        }
        String name = one.getDisplayName();
        String otherName = other.getDisplayName();
        int byHash = Integer.compare(method(name).hashCode(), method(otherName).hashCode());
        return byHash == 0 ? name.compareTo(otherName) : byHash;
    }

    private static String method(String displayName) {
        Matcher parts = METHOD_AND_CLASS.matcher(displayName);
        return parts.matches() ? parts.group(1) : displayName;
    }

    static String id(String className, Description description, int n) {
        return className + '/' + description.getDisplayName() + '#' + n;
    }

    /** The class to ask for, of an id. */
    static String classOf(String id) {
        int slash = id.indexOf('/');
        return slash < 0 ? id : id.substring(0, slash);
    }

    /** Class and method of an id, without the parameters, which can change while the test stays the same, unless they are just a number. */
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

    /** Restricts the runner to these tests, as far as it can be restricted. */
    void filter(Set<String> ids) throws NoTestsRemainException {
        for (Leaf leaf : leaves) {
            if (!ids.contains(leaf.id)) {
                new Selection(ids).apply(runner);
                return;
            }
        }
    }

    /** One test. */
    static final class Leaf {
        final String id;
        final Description description;

        Leaf(String id, Description description) {
            this.id = id;
            this.description = description;
        }

        /** {@code org.example.StackTest.pops()}, {@code org.example.StackTest.pops()[2]}. */
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

        /** Binary name of the class that the test belongs to: the concrete one where it is inherited. */
        String className() {
            Matcher parts = METHOD_AND_CLASS.matcher(description.getDisplayName());
            return parts.matches() ? parts.group(2) : classOf(id);
        }
    }

    /**
     * JUnit's filters see descriptions, which are equal where display names are. So where names are not unique, calls are counted: runners
     * ask for each test once, in their order.
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
            // Asked for each of its tests later, unless none is selected.
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
