package org.example;

/** One method for each kind of test: no other test calls it. */
public final class Kinds {
    private Kinds() {}

    public static int plain(int value) {
        return value + 2;
    }

    public static int rule(int value) {
        return value + 3;
    }

    public static int classRule(int value) {
        return value + 4;
    }

    public static int beforeClass(int value) {
        return value + 5;
    }

    public static int expected(int value) {
        return value + 6;
    }

    public static int parameterized(int value) {
        return value + 7;
    }

    public static int theory(int value) {
        return value + 8;
    }

    public static int category(int value) {
        return value + 9;
    }

    public static int excluded(int value) {
        return value + 10;
    }

    public static int inSuite(int value) {
        return value + 11;
    }

    public static int enclosed(int value) {
        return value + 12;
    }

    public static int runner(int value) {
        return value + 13;
    }

    public static int three(int value) {
        return value + 14;
    }

    public static int inherited(int value) {
        return value + 15;
    }

    public static int supplied(int value) {
        return value + 17;
    }

    public static int unchecked(int value) {
        return value + 16;
    }
}
