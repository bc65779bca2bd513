package org.example;

/** Without its end the loop never ends: a time-out. */
public class Countdown {
    private int left;

    public Countdown(int left) {
        this.left = left;
    }

    public int run() {
        int steps = 0;
        while (!isOver()) {
            left--;
            steps++;
        }
        return steps;
    }

    private boolean isOver() {
        return left <= 0;
    }
}
