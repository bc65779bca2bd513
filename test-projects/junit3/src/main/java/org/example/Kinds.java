package org.example;

/** One method for each kind of test: no other test calls it. */
public final class Kinds {
    private Kinds() {}

    public static int plain(int value) {
        return value + 2;
    }

    public static int inherited(int value) {
        return value + 3;
    }

    public static int suite(int value) {
        return value + 4;
    }

    public static int decorated(int value) {
        return value + 5;
    }

    public static int pojo(int value) {
        return value + 6;
    }

    public static int unchecked(int value) {
        return value + 7;
    }
}
