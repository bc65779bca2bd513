import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

class Lambdas {
    Function<Integer, Function<Integer, Integer>> curried = a -> b -> a + b;
    IntFunction<int[][]> arrays = int[][]::new;
    Supplier<java.util.List<String>> generic = java.util.ArrayList<String>::new;
    Runnable both = (Runnable & java.io.Serializable) () -> { };

    int call() {
        outer:
        for (;;) {
            do {
                if (curried.apply(1).apply(2) > 2) break outer;
            } while (true);
        }
        Function<Object, Integer> choose = given -> switch (given) {
            case Integer n when n > 0 -> n;
            default -> 0;
        };
        return choose.apply(arrays.apply(1).length >>> 1) + (generic.get() instanceof java.util.ArrayList<String> list ? list.size() : 0);
    }
}
