package org.example;

public class Crate {
    private final int[] counts = new int[2];

    public void add(int kind) {
        counts[kind]++;
    }

    /** A caller does not learn from the type that it is an array. */
    public Object counts() {
        return counts;
    }
}
