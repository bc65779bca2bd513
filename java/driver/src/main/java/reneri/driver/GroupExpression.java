package reneri.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses surefire's {@code groups} and {@code excludedGroups} for JUnit 4 and TestNG: expressions over names of groups.
 *
 * <p>{@code expression := operand [operator expression]}, {@code operand := ["!"] (name | "(" expression ")")}, where an operator is
 * {@code &&}, {@code AND}, {@code ||}, {@code OR} or a comma, which means OR. As in surefire, {@code a && b || c} is {@code a && (b || c)}.
 */
final class GroupExpression<T> {
    private static final Pattern TOKEN = Pattern.compile("\\s*(&&|\\|\\||[,!()]|[^\\s,!()&|]+)");

    private final String text;
    private final List<String> tokens = new ArrayList<>();
    private final Function<String, Predicate<T>> named;
    private int next;

    private GroupExpression(String text, Function<String, Predicate<T>> named) {
        this.text = text;
        this.named = named;
    }

    /**
     * @param named the predicate for a name, without a {@code .class} at its end
     * @return null if the text is empty
     */
    static <T> Predicate<T> parse(String text, Function<String, Predicate<T>> named) {
        if (text == null || text.trim().isEmpty()) {
            return null;
        }
        GroupExpression<T> parser = new GroupExpression<>(text, named);
        parser.split();
        Predicate<T> expression = parser.expression();
        if (parser.next < parser.tokens.size()) {
            throw parser.error();
        }
        return expression;
    }

    private void split() {
        String rest = text.trim();
        while (!rest.isEmpty()) {
            Matcher token = TOKEN.matcher(rest);
            if (!token.lookingAt()) {
                throw new IllegalArgumentException("surefire's group expression «" + text + "» is not understood at «" + rest + "».");
            }
            tokens.add(token.group(1));
            rest = rest.substring(token.end()).trim();
        }
    }

    private Predicate<T> expression() {
        Predicate<T> left = operand();
        if (next == tokens.size() || tokens.get(next).equals(")")) {
            return left;
        }
        String operator = tokens.get(next++);
        switch (operator.toUpperCase(Locale.ROOT)) {
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

    private Predicate<T> operand() {
        if (next == tokens.size()) {
            throw error();
        }
        String token = tokens.get(next++);
        if (token.equals("!") || token.equals("NOT")) {
            return operand().negate();
        }
        if (token.equals("(")) {
            Predicate<T> inner = expression();
            if (next == tokens.size() || !tokens.get(next++).equals(")")) {
                throw error();
            }
            return inner;
        }
        return named.apply(token.endsWith(".class") ? token.substring(0, token.length() - 6) : token);
    }

    private IllegalArgumentException error() {
        return new IllegalArgumentException("surefire's group expression «" + text + "» is not understood.");
    }
}
