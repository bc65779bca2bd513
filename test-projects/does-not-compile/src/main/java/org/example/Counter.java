package org.example;

/** Counts. */
public class Counter {
    private int count;

    public int next() {
        return "one";
    }
}
