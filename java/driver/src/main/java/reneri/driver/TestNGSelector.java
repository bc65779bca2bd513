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
 * Takes the tests of the run that is going on, and all on which they depend; leaves it to the selectors behind it to refuse more. TestNG makes
 * it by its name, once for each of its tests, so what is wanted is static.
 */
public final class TestNGSelector implements IMethodSelector {
    private static final long serialVersionUID = 1;

    /** Null for all. */
    static Predicate<ITestNGMethod> wanted;

    /** TestNG fills the list only after it has handed it over. */
    private transient List<ITestNGMethod> methods;
    private transient Set<ITestNGMethod> taken;

    @Override
    public void setTestMethods(List<ITestNGMethod> methods) {
        this.methods = methods;
    }

    @Override
    public boolean includeMethod(IMethodSelectorContext context, ITestNGMethod method, boolean isTestMethod) {
        if (!isTestMethod || wanted == null || isTaken(method)) {
            return true;
        }
        context.setStopped(true);
        return false;
    }

    private boolean isTaken(ITestNGMethod method) {
        if (methods == null) {
            return wanted.test(method);
        }
        if (taken == null) {
            List<ITestNGMethod> chosen = new ArrayList<>(methods);
            chosen.removeIf(wanted.negate());
            taken = new HashSet<>(TestNGDependencies.of(chosen, methods));
        }
        return taken.contains(method);
    }
}
