package org.example;

/** One method for each kind of test: no other test calls it. */
public final class Kinds {
    private Kinds() {}

    public static int plain(int value) {
        return value + 2;
    }

    public static int provided(int value) {
        return value + 3;
    }

    public static int repeated(int value) {
        return value + 4;
    }

    public static int expected(int value) {
        return value + 5;
    }

    public static int dependent(int value) {
        return value + 6;
    }

    public static int across(int value) {
        return value + 7;
    }

    public static int made(int value) {
        return value + 8;
    }

    public static int inherited(int value) {
        return value + 9;
    }

    public static int beforeSuite(int value) {
        return value + 10;
    }

    public static int nextSuite(int value) {
        return value + 11;
    }

    public static int beside(int value) {
        return value + 12;
    }

    public static int excluded(int value) {
        return value + 13;
    }

    public static int unchecked(int value) {
        return value + 14;
    }

    /** Entered by a test on which the one that checks it depends. */
    public static int awaited(int value) {
        return value + 15;
    }
}
