package org.example;

import static java.lang.Math.max;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;

/** One of everything that Java 17 lets a test say; prints what it computes. */
public class Everything<K extends Comparable<K>> {
    static final int CONSTANT = 3;
    static final String NAME = "n" + CONSTANT;
    static final Integer BOXED = 7;
    final byte small = CONSTANT;
    K key;

    @interface Limit {
        int value();
    }

    enum Color {
        RED("r".length()), GREEN(max(CONSTANT, 2)) {
            @Override
            int twice() {
                return 3 * weight;
            }
        };

        final int weight;

        Color(int weight) {
            this.weight = weight;
        }

        int twice() {
            return 2 * weight;
        }
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x = " + x);
            }
        }

        static Point of(int... xs) {
            return new Point(xs[0], xs.length > 1 ? xs[1] : 0);
        }
    }

    interface Shape {
        int SIDES = Integer.parseInt("4");

        default int sides() {
            return SIDES;
        }
    }

    static class Square implements Shape {
        @Override
        public int sides() {
            return Shape.super.sides() + 0;
        }
    }

    class Inner {
        K outerKey() {
            return Everything.this.key;
        }
    }

    Everything(K key) {
        this(key, Optional.empty());
    }

    Everything(K key, Optional<K> other) {
        super();
        this.key = other.orElse(key);
    }

    static <T> T any() {
        return null;
    }

    static <T extends Comparable<T>> T largest(List<? extends T> items) {
        T best = items.get(0);
        for (T item : items) {
            if (item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }

    static String which(Object o) {
        return "object";
    }

    static String which(int i) {
        return "int";
    }

    static String which(long l) {
        return "long";
    }

    static String which(Integer... is) {
        return "integers";
    }

    static String runs(Callable<?> c) throws Exception {
        return "callable " + c.call();
    }

    static String runs(Runnable r) {
        r.run();
        return "runnable";
    }

    static void print(Object... parts) {
        System.out.println(Arrays.deepToString(parts));
    }

    @Limit(CONSTANT + 1)
    static void arithmetic() {
        byte b = 5;
        b += 300;
        short s = (short) (b << 4);
        char c = 'a';
        c++;
        c += 1;
        char d = (char) (c + 1);
        final int one = 1;
        byte narrowed = one;
        int[] counts = new int[3];
        counts[b & 1]++;
        counts[counts.length - 1] = counts[1]-- + 1;
        long l = BOXED;
        Integer nothing = null;
        Object mixed = l > 0 ? 1 : nothing;
        Object promoted = true ? BOXED : 2.0;
        print(b, s, c, d, narrowed, counts, l, mixed, promoted, 'a' + 1, "" + c + 1, -BOXED, BOXED + 1L, 7 / 2.0f);
        print(BOXED == 7, BOXED.equals(7), (Object) BOXED == Integer.valueOf(7), 1 < 2 && !(c > d) || false);
    }

    static void overloads() throws Exception {
        byte b = 1;
        Integer boxed = 2;
        long wide = 3;
        print(which(b), which(boxed), which(wide), which('c'), which("s"), which(BOXED, boxed));
        print(runs(() -> max(1, 2)), runs(() -> { max(1, 2); }), runs(() -> print("run")));
        List<Integer> list = new ArrayList<>(Arrays.asList(10, 20, 30));
        list.remove(boxed.intValue());
        list.remove(boxed);
        print(list, String.valueOf(new char[] {'x', 'y'}), String.format("%s-%s", (Object[]) new String[] {"p", "q"}));
        String none = any();
        List<String> empty = Collections.emptyList();
        Map<String, List<Integer>> map = new HashMap<>();
        map.computeIfAbsent("k", k -> new ArrayList<>()).add(CONSTANT);
        print(none, empty, map, largest(Arrays.asList(3, 9, 4)), Everything.<String>any());
    }

    static void control(Object o, Color color) {
        int n;
        if (o instanceof String s && (n = s.length()) > 1) {
            print(s.charAt(n - 1));
        }
        if (!(o instanceof String text)) {
            throw new IllegalStateException();
        }
        outer:
        for (int i = 0, j = 9; i < j; i++, j--) {
            for (char c : text.toCharArray()) {
                if (c == 'l') {
                    continue outer;
                }
                if (i == 3) {
                    break outer;
                }
                print(i, j, c);
            }
        }
        switch (color) {
            case RED:
                print("red");
                break;
            default:
                print("other", color.twice());
        }
        switch (text.length()) {
            case CONSTANT, CONSTANT + 2 -> print("five");
            default -> throw new AssertionError(text);
        }
        int code = switch (color) {
            case RED -> color.weight;
            case GREEN -> {
                int twice = color.twice();
                yield twice + 1;
            }
        };
        String block = """
            text "block"
              of %s \
            joined""".formatted(text);
        print(code, block, color == Color.GREEN ? color.name().toLowerCase() : null);
        do {
            n = text.indexOf('o');
        } while (n < 0);
        while (true) {
            if (n++ > 5) {
                break;
            }
        }
        synchronized (text) {
            assert n > 0 : "n is " + n;
        }
        print(n);
    }

    static void objects() {
        Everything<String> every = new Everything<>("key");
        Everything<String>.Inner inner = every.new Inner();
        Supplier<Supplier<String>> nested = () -> () -> inner.outerKey() + every.key.length();
        Function<Integer, Function<Integer, Integer>> add = x -> y -> x + y;
        print(nested.get().get(), add.apply(1).apply(2), new Square().sides(), Point.of(1, 2), Point.of(4).y());
        Object counter = new Object() {
            int count = CONSTANT * BOXED;

            @Override
            public String toString() {
                return "count " + count++;
            }
        };
        var anonymous = new Object() {
            int hidden = 5;
        };
        print(counter.toString(), counter.toString(), anonymous.hidden, inner.outerKey().isEmpty());
        print(Arrays.asList("b", "a").stream().map(String::toUpperCase).sorted().collect(toList()));
        print(new int[][] {{1, CONSTANT}, {BOXED}}[1][0], new String[CONSTANT].length, int[].class.getName());
        int[] effectively = {0};
        Runnable increment = () -> effectively[0]++;
        increment.run();
        print(effectively, NAME.length(), Optional.of(NAME).map(String::length).orElseThrow(() -> new Error("none")));
    }

    static void rethrow(boolean io) throws IOException {
        try {
            if (io) {
                throw new IOException("io");
            }
            throw new IllegalStateException("state");
        } catch (final Exception e) {
            throw e;
        }
    }

    static void exceptions() {
        for (boolean io : new boolean[] {true, false}) {
            try (StringReader reader = new StringReader("r")) {
                print((char) reader.read());
                rethrow(io);
            } catch (IOException | IllegalStateException e) {
                print(e.getMessage());
            } finally {
                print("finally");
            }
        }
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            print(e.getMessage());
        }
    }

    public void testFails() throws IOException {
        rethrow(true);
    }

    public static void main(String[] args) throws Exception {
        arithmetic();
        overloads();
        control("hello", Color.GREEN);
        control("hello", Color.RED);
        objects();
        exceptions();
        try {
            new Everything<>(1).testFails();
        } catch (IOException e) {
            print("left", e.getMessage());
        }
        print("grün €");
    }
}
