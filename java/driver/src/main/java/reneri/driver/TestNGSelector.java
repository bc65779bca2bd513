package reneri.driver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.testng.IMethodSelector;
import org.testng.IMethodSelectorContext;
import org.testng.ITestNGMethod;

/**
 * Selects the tests of the current run and all methods on which they depend. Later selectors may refuse more. TestNG instantiates this class by name,
 * once for each of its tests, so the selection is static.
 */
public final class TestNGSelector implements IMethodSelector {
    private static final long serialVersionUID = 1;

    /** The tests of the current run; null for all. */
    static Predicate<ITestNGMethod> selection;

    /** TestNG fills this list after it has passed it. */
    private transient List<ITestNGMethod> methods;
    private transient Set<ITestNGMethod> selected;

    @Override
    public void setTestMethods(List<ITestNGMethod> methods) {
        this.methods = methods;
    }

    @Override
    public boolean includeMethod(IMethodSelectorContext context, ITestNGMethod method, boolean isTestMethod) {
        if (!isTestMethod || selection == null || isSelected(method)) {
            return true;
        }
        context.setStopped(true);
        return false;
    }

    private boolean isSelected(ITestNGMethod method) {
        if (methods == null) {
            return selection.test(method);
        }
        if (selected == null) {
            List<ITestNGMethod> tests = new ArrayList<>(methods);
            tests.removeIf(selection.negate());
            selected = new HashSet<>(TestNGDependencies.of(tests, methods));
        }
        return selected.contains(method);
    }
}
