import java.util.List;
import java.util.function.BiFunction;

class Java22Unnamed {
    record Pair(Object one, Object other) {}

    int count(List<String> all, Object given) {
        int count = 0;
        for (String _ : all) {
            count++;
        }
        for (int i = 0, _ = all.size(); i < 1; i++) {
            count++;
        }
        var _ = all.remove("a");
        BiFunction<Integer, Integer, Integer> first = (a, _) -> a;
        try (var _ = new java.io.StringReader("a")) {
            count += Integer.parseInt("1");
        } catch (NumberFormatException | IllegalStateException _) {
            count--;
        }
        if (given instanceof Pair(var one, _) && given instanceof Pair(_, String _)) {
            count += one.hashCode();
        }
        return switch (given) {
            case Pair(String _, _), Pair(Integer _, _) -> first.apply(count, 1);
            case String _ -> 2;
            default -> count;
        };
    }
}
