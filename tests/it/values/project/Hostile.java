package values;

import java.math.BigDecimal;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Classes whose methods must not be called to read their objects. Each call throws, and leaves its stack in a file. */
class Hostile {
    static int calls;

    private static RuntimeException called() {
        calls++;
        RuntimeException called = new IllegalStateException("called");
        try (java.io.PrintWriter writer = new java.io.PrintWriter(new java.io.FileWriter("CALLS", true))) {
            called.printStackTrace(writer);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return called;
    }

    static class OfHashMap extends HashMap<String, Integer> {
        private final int mark;

        OfHashMap(int mark) {
            this.mark = mark;
        }

        @Override
        public Set<Map.Entry<String, Integer>> entrySet() {
            throw called();
        }

        @Override
        public Set<String> keySet() {
            throw called();
        }

        @Override
        public Collection<Integer> values() {
            throw called();
        }

        @Override
        public int size() {
            throw called();
        }

        @Override
        public int hashCode() {
            throw called();
        }

        @Override
        public boolean equals(Object other) {
            throw called();
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    static class OfAbstractMap extends AbstractMap<String, Integer> {
        private final int mark;

        OfAbstractMap(int mark) {
            this.mark = mark;
        }

        @Override
        public Set<Map.Entry<String, Integer>> entrySet() {
            throw called();
        }

        @Override
        public int size() {
            throw called();
        }
    }

    static class OfArrayList extends ArrayList<String> {
        private final int mark;

        OfArrayList(int mark) {
            this.mark = mark;
        }

        @Override
        public Object[] toArray() {
            throw called();
        }

        @Override
        public Iterator<String> iterator() {
            throw called();
        }

        @Override
        public int size() {
            throw called();
        }

        @Override
        public int hashCode() {
            throw called();
        }

        @Override
        public boolean equals(Object other) {
            throw called();
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    static class OfAbstractList extends AbstractList<String> {
        private final int mark;

        OfAbstractList(int mark) {
            this.mark = mark;
        }

        @Override
        public String get(int index) {
            throw called();
        }

        @Override
        public int size() {
            throw called();
        }
    }

    static class OfHashSet extends HashSet<String> {
        private final int mark;

        OfHashSet(int mark) {
            this.mark = mark;
        }

        @Override
        public Iterator<String> iterator() {
            throw called();
        }

        @Override
        public Object[] toArray() {
            throw called();
        }

        @Override
        public int size() {
            throw called();
        }
    }

    static class OfDate extends Date {
        private final int mark;

        OfDate(int mark) {
            this.mark = mark;
        }

        @Override
        public long getTime() {
            throw called();
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    static class OfBigDecimal extends BigDecimal {
        private final int mark;

        OfBigDecimal(int mark) {
            super(1);
            this.mark = mark;
        }

        @Override
        public int hashCode() {
            throw called();
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    static class OfAtomicInteger extends AtomicInteger {
        private final int mark;

        OfAtomicInteger(int mark) {
            this.mark = mark;
        }

        @Override
        public int intValue() {
            throw called();
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    /** An element or a key. A container may ask for its hash code until it `isKept`. */
    static class Element implements Comparable<Element> {
        private final int mark;
        private boolean isKept;

        Element(int mark) {
            this.mark = mark;
        }

        @Override
        public int compareTo(Element other) {
            if (isKept) {
                throw called();
            }
            return mark - other.mark;
        }

        @Override
        public boolean equals(Object other) {
            throw called();
        }

        @Override
        public int hashCode() {
            if (isKept) {
                throw called();
            }
            return 1;
        }

        @Override
        public String toString() {
            throw called();
        }
    }

    static Map<Element, Integer> asKey(Map<Element, Integer> map, int mark) {
        Element key = new Element(mark);
        map.put(key, 1);
        key.isKept = true;
        return map;
    }

    static Map<String, Integer> withComparator(int mark) {
        boolean[] isKept = {false};
        Comparator<String> comparator = (one, other) -> {
            if (isKept[0]) {
                throw called();
            }
            return one.compareTo(other);
        };
        Map<String, Integer> map = new TreeMap<>(comparator);
        map.put("k", mark);
        isKept[0] = true;
        return map;
    }
}
