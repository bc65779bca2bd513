package org.example;

/** What quick and slow tests say of it is written beside each method. */
public class Work {
    private int done;

    /** Quick tests call it; only a slow one looks at what it returns. */
    public int total(int one, int other) {
        return done + one + other;
    }

    /** A quick test has what it returns, and so has a slow one. */
    public String label(int number) {
        return "work " + number;
    }

    /** What it returns is lost on the way to a quick test, and in the hands of a slow one. */
    public int hidden(int number) {
        return done + number * 2;
    }

    /** Calls {@link #hidden} for nothing. */
    public int run(int number) {
        int before = done;
        hidden(number);
        done = before + 1;
        return done;
    }

    /** A slow test that calls it fails sometimes, for other reasons. */
    public boolean isDone(int number) {
        return done > number;
    }
}
