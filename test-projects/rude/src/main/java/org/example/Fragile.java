package org.example;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Each method, once transformed, takes more than its test down. */
public class Fragile {
    private final CountDownLatch latch = new CountDownLatch(1);
    private int opened;

    /** Endless with `false`. */
    static boolean isOver(int round) {
        return round > 3;
    }

    public static int rounds() {
        int round = 0;
        while (!isOver(round)) {
            round++;
        }
        return round;
    }

    /** Waits for ever when nothing is opened. */
    public void pass() throws InterruptedException {
        open();
        latch.await();
    }

    private void open() {
        opened++;
        latch.countDown();
    }

    /** No end of the stack with `false`. */
    static boolean isLeaf(int depth) {
        return depth == 0;
    }

    public static int depth(int depth) {
        return isLeaf(depth) ? 0 : 1 + depth(depth - 1);
    }

    /** No end of the memory with `false`. */
    static boolean isFull(List<long[]> rows) {
        return rows.size() >= 2;
    }

    public static int rows() {
        List<long[]> rows = new ArrayList<>();
        while (!isFull(rows)) {
            rows.add(new long[1 << 20]);
        }
        return rows.size();
    }

    /** Ends the JVM with `false`. */
    static boolean isWelcome(String name) {
        return !name.isEmpty();
    }

    public static String enter(String name) {
        if (!isWelcome(name)) {
            Runtime.getRuntime().halt(1);
        }
        return "welcome " + name;
    }
}
