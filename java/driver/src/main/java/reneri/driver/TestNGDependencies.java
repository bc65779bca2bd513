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
 * From some methods to these and all on which they depend ({@code dependsOnMethods}, {@code dependsOnGroups}): TestNG never runs a test without
 * them, and what they leave behind is what the test starts from.
 */
final class TestNGDependencies {
    private TestNGDependencies() {}

    static Set<ITestNGMethod> of(Collection<ITestNGMethod> wanted, Collection<ITestNGMethod> all) {
        Set<ITestNGMethod> found = new LinkedHashSet<>(wanted);
        Deque<ITestNGMethod> open = new ArrayDeque<>(wanted);
        while (!open.isEmpty()) {
            ITestNGMethod method = open.remove();
            String[] methods = method.getMethodsDependedUpon();
            String[] groups = method.getGroupsDependedUpon();
            if (methods.length == 0 && groups.length == 0) {
                continue;
            }
            for (ITestNGMethod other : all) {
                if ((isNamed(other, method, methods) || isGrouped(other, groups)) && found.add(other)) {
                    open.add(other);
                }
            }
        }
        return found;
    }

    /** TestNG's names are regular expressions, of the method alone or with the class that declares it. */
    private static boolean isNamed(ITestNGMethod other, ITestNGMethod method, String[] names) {
        String simple = other.getConstructorOrMethod().getMethod().getName();
        String declaring = other.getConstructorOrMethod().getDeclaringClass().getName();
        boolean isSibling = TestNGIds.classOf(other) == TestNGIds.classOf(method);
        for (String name : names) {
            if (isSibling && matches(name, simple)
                || matches(name, declaring + '.' + simple)
                || matches(name, TestNGIds.classOf(other).getName() + '.' + simple)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isGrouped(ITestNGMethod other, String[] wanted) {
        for (String expression : wanted) {
            for (String group : other.getGroups()) {
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
