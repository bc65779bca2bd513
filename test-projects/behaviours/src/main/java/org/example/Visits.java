package org.example;

/** Counts for the whole program: nothing but a static field tells of it. */
public class Visits {
    private static int count;

    public void register() {
        count++;
    }

    public static int total() {
        return count + 0;
    }
}
