package org.example;

public final class Clock {
    private int asked;

    /** No test sees what it really returns. */
    public static int now() {
        return (int) (System.nanoTime() % 100);
    }

    public int next() {
        asked++;
        return now() + 1;
    }

    public int twice(int value) {
        asked++;
        return value * 2;
    }

    public int unchecked(int value) {
        asked++;
        return value + 3;
    }
}
