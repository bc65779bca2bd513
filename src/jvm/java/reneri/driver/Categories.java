package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.annotation.Inherited;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.runner.Description;

/**
 * Surefire's {@code groups} and {@code excludedGroups} for JUnit 4: expressions over the classes that {@code @Category} names.
 *
 * <p>{@code expression := operand [operator expression]}, {@code operand := ["!"] (name | "(" expression ")")}, where an operator is
 * {@code &&}, {@code AND}, {@code ||}, {@code OR} or a comma, which means OR. As in surefire, {@code a && b || c} is {@code a && (b || c)}.
 */
final class Categories {
    private static final Pattern TOKEN = Pattern.compile("\\s*(&&|\\|\\||[,!()]|[^\\s,!()&|]+)");

    private final Predicate<Set<Class<?>>> wanted;
    /** {@code org.junit.experimental.categories.Category}, by reflection because it is newer than JUnit 4.4. */
    private final Class<? extends Annotation> category;

    private Categories(Predicate<Set<Class<?>>> wanted, Class<? extends Annotation> category) {
        this.wanted = wanted;
        this.category = category;
    }

    /** Null where nothing is asked for. */
    static Categories of(String groups, String excludedGroups, ClassLoader project) {
        Predicate<Set<Class<?>>> wanted = parse(groups, project);
        Predicate<Set<Class<?>>> unwanted = parse(excludedGroups, project);
        if (wanted == null && unwanted == null) {
            return null;
        }
        try {
            return new Categories(
                    categories -> (wanted == null || wanted.test(categories)) && (unwanted == null || !unwanted.test(categories)),
                    Class.forName("org.junit.experimental.categories.Category", false, project).asSubclass(Annotation.class));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("surefire's groups need JUnit 4.8 or newer, where @Category is.", e);
        }
    }

    /** @param testClass the class that the test belongs to, null if there is none of that name */
    boolean shouldRun(Description test, Class<?> testClass) {
        Set<Class<?>> categories = new HashSet<>();
        add(test.getAnnotation(category), categories);
        boolean inherited = category.isAnnotationPresent(Inherited.class);
        for (Class<?> c = testClass; c != null && (c == testClass || inherited); c = c.getSuperclass()) {
            add(c.getAnnotation(category), categories);
        }
        return wanted.test(categories);
    }

    private static void add(Annotation annotation, Set<Class<?>> categories) {
        if (annotation == null) {
            return;
        }
        try {
            categories.addAll(Arrays.asList((Class<?>[]) annotation.annotationType().getMethod("value").invoke(annotation)));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("@Category has no readable value.", e);
        }
    }

    private static Predicate<Set<Class<?>>> parse(String text, ClassLoader project) {
        if (text == null || text.trim().isEmpty()) {
            return null;
        }
        List<String> tokens = new ArrayList<>();
        String rest = text.trim();
        while (!rest.isEmpty()) {
            Matcher token = TOKEN.matcher(rest);
            if (!token.lookingAt()) {
                throw new IllegalArgumentException("surefire's group expression «" + text + "» is not understood at «" + rest + "».");
            }
            tokens.add(token.group(1));
            rest = rest.substring(token.end()).trim();
        }
        Parser parser = new Parser(text, tokens, project);
        Predicate<Set<Class<?>>> expression = parser.expression();
        if (parser.next < tokens.size()) {
            throw parser.error();
        }
        return expression;
    }

    private static final class Parser {
        final String text;
        final List<String> tokens;
        final ClassLoader project;
        int next;

        Parser(String text, List<String> tokens, ClassLoader project) {
            this.text = text;
            this.tokens = tokens;
            this.project = project;
        }

        Predicate<Set<Class<?>>> expression() {
            Predicate<Set<Class<?>>> left = operand();
            if (next == tokens.size() || tokens.get(next).equals(")")) {
                return left;
            }
            String operator = tokens.get(next++);
            switch (operator.toUpperCase(java.util.Locale.ROOT)) {
                case "&&":
                case "AND":
                    return left.and(expression());
                case "||":
                case "OR":
                case ",":
                    return left.or(expression());
                default:
                    throw error();
            }
        }

        Predicate<Set<Class<?>>> operand() {
            if (next == tokens.size()) {
                throw error();
            }
            String token = tokens.get(next++);
            if (token.equals("!") || token.equals("NOT")) {
                return operand().negate();
            }
            if (token.equals("(")) {
                Predicate<Set<Class<?>>> inner = expression();
                if (next == tokens.size() || !tokens.get(next++).equals(")")) {
                    throw error();
                }
                return inner;
            }
            return named(token.endsWith(".class") ? token.substring(0, token.length() - 6) : token);
        }

        private Predicate<Set<Class<?>>> named(String name) {
            Class<?> group = null;
            try {
                group = Class.forName(name, false, project);
            } catch (ClassNotFoundException | LinkageError e) {
                // As surefire: then it is compared by the end of its name.
            }
            Class<?> loaded = group;
            return categories -> {
                for (Class<?> category : categories) {
                    if (loaded != null && loaded.isAssignableFrom(category) || category.getName().endsWith(name)) {
                        return true;
                    }
                }
                return false;
            };
        }

        IllegalArgumentException error() {
            return new IllegalArgumentException("surefire's group expression «" + text + "» is not understood.");
        }
    }
}
