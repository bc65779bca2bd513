package org.example;

/** One method for each kind of test: no other test calls it. */
public final class Kinds {
    private Kinds() {}

    public static int plain(int value) {
        return value + 2;
    }

    public static int four(int value) {
        return value + 3;
    }

    public static int three(int value) {
        return value + 4;
    }

    public static int retried(int value) {
        return value + 20;
    }

    public static int theory(int value) {
        return value + 5;
    }

    public static int parameterized(int value) {
        return value + 6;
    }

    public static int repeated(int value) {
        return value + 7;
    }

    public static int dynamic(int value) {
        return value + 8;
    }

    public static int nested(int value) {
        return value + 9;
    }

    public static int deeper(int value) {
        return value + 10;
    }

    public static int inherited(int value) {
        return value + 11;
    }

    public static int contract(int value) {
        return value + 12;
    }

    public static int beforeAll(int value) {
        return value + 13;
    }

    public static int extension(int value) {
        return value + 14;
    }

    public static int thrown(int value) {
        return value + 15;
    }

    public static int generic(int value) {
        return value + 16;
    }

    public static int inSuite(int value) {
        return value + 17;
    }

    public static int excluded(int value) {
        return value + 18;
    }

    public static int unchecked(int value) {
        return value + 19;
    }
}
