package org.example;

/** One method for each kind of test: no other test calls it. */
public final class Kinds {
    private Kinds() {}

    public static int feature(int value) {
        return value + 2;
    }

    public static int iterated(int value) {
        return value + 3;
    }

    public static int java(int value) {
        return value + 4;
    }
}
