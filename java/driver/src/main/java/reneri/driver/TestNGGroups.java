package reneri.driver;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.testng.IMethodSelector;
import org.testng.IMethodSelectorContext;
import org.testng.ITestNGMethod;

/**
 * Surefire's {@code groups} and {@code excludedGroups}, as in its GroupMatcherMethodSelector: they also apply to set-up and tear-down that is not
 * {@code alwaysRun}. TestNG instantiates this class by name, so the groups are static.
 */
public final class TestNGGroups implements IMethodSelector {
    private static final long serialVersionUID = 1;

    private static Predicate<String[]> included;
    private static Predicate<String[]> excluded;

    /** Sets the groups. Whether there are any. */
    static boolean set(String groups, String excludedGroups) {
        included = GroupExpression.parse(groups, TestNGGroups::named);
        excluded = GroupExpression.parse(excludedGroups, TestNGGroups::named);
        return included != null || excluded != null;
    }

    private static Predicate<String[]> named(String name) {
        return groups -> {
            for (String group : groups) {
                if (group.equals(name) || matches(name, group)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static boolean matches(String expression, String group) {
        try {
            return Pattern.matches(expression, group);
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    @Override
    public void setTestMethods(List<ITestNGMethod> methods) {}

    @Override
    public boolean includeMethod(IMethodSelectorContext context, ITestNGMethod method, boolean isTestMethod) {
        String[] groups = method.getGroups();
        return (included == null || included.test(groups)) && (excluded == null || !excluded.test(groups));
    }
}
