package org.example;

/** A table that is built once, when the class is initialised: a switch that is set later comes too late. */
public class Squares {
    private static final int[] TABLE = new int[10];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            TABLE[i] = square(i);
        }
    }

    static int square(int number) {
        int result = 0;
        for (int i = 0; i < number; i++) {
            result += number;
        }
        return result;
    }

    public static int of(int number) {
        return TABLE[number] + 0;
    }
}
