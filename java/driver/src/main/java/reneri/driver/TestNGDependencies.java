package reneri.driver;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.testng.ITestNGMethod;

/**
 * Adds to methods all methods on which they depend ({@code dependsOnMethods}, {@code dependsOnGroups}). TestNG never runs a test without these, and
 * the test starts from the state that they leave.
 */
final class TestNGDependencies {
    private TestNGDependencies() {}

    static Set<ITestNGMethod> of(Collection<ITestNGMethod> wanted, Collection<ITestNGMethod> all) {
        Set<ITestNGMethod> found = new LinkedHashSet<>(wanted);
        Deque<ITestNGMethod> pending = new ArrayDeque<>(wanted);
        while (!pending.isEmpty()) {
            ITestNGMethod method = pending.remove();
            String[] methods = method.getMethodsDependedUpon();
            String[] groups = method.getGroupsDependedUpon();
            if (methods.length == 0 && groups.length == 0) {
                continue;
            }
            for (ITestNGMethod candidate : all) {
                if ((isNamed(candidate, method, methods) || isGrouped(candidate, groups)) && found.add(candidate)) {
                    pending.add(candidate);
                }
            }
        }
        return found;
    }

    /** Whether one of the names, which are regular expressions, matches the method's name, alone or with its class. */
    private static boolean isNamed(ITestNGMethod candidate, ITestNGMethod method, String[] names) {
        String simple = candidate.getConstructorOrMethod().getMethod().getName();
        String declaring = candidate.getConstructorOrMethod().getDeclaringClass().getName();
        boolean isSibling = TestNGIds.classOf(candidate) == TestNGIds.classOf(method);
        for (String name : names) {
            if (isSibling && matches(name, simple)
                || matches(name, declaring + '.' + simple)
                || matches(name, TestNGIds.classOf(candidate).getName() + '.' + simple)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isGrouped(ITestNGMethod candidate, String[] wanted) {
        for (String expression : wanted) {
            for (String group : candidate.getGroups()) {
                if (matches(expression, group)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean matches(String expression, String name) {
        if (expression.equals(name)) {
            return true;
        }
        try {
            return Pattern.matches(expression.replace("$", "\\$"), name);
        } catch (PatternSyntaxException e) {
            return false;
        }
    }
}
