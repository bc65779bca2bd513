package org.example;

/** Which tests reach what. */
public class Reached {
    private static int calls;

    public static int byTheTestThatExits() {
        return ++calls;
    }

    public static int byTheTestThatFails() {
        return calls += 2;
    }

    public static int bySpinners() {
        return calls += 3;
    }

    public static int byAll() {
        return calls += 4;
    }

    public static int calls() {
        int now = calls;
        return now;
    }
}
