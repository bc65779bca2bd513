import java.util.List;

class Java16Record {
    record Pair<A extends Comparable<A>, B>(A one, B... others) implements Comparable<Pair<A, B>> {
        static int made;

        Pair {
            made++;
        }

        Pair(A one, B other, int number) {
            this(one, other);
        }

        @Override
        public int compareTo(Pair<A, B> other) {
            return one.compareTo(other.one());
        }
    }

    int use(Object given) {
        record Local(int n) {}
        enum Side { LEFT }
        interface Named { String name(); }
        Named named = () -> Side.LEFT.name();
        if (given instanceof final String text && !text.isEmpty()) {
            return text.length();
        }
        if (!(given instanceof List<?> list)) {
            return named.name().length();
        }
        return list.size() + new Local(1).n();
    }

    class Inner {
        static int count;
    }
}
