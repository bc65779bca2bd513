package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ThreadsTest {
    private static volatile long turns;

    @Test
    void leavesThreadsBehind() {
        new Thread(() -> {
            while (true) {
                turns++;
            }
        }, "spins").start();
        new Thread(() -> {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // It is asked to end, and does.
            }
        }, "sleeps").start();
        assertEquals(Reached.calls() + 3, Reached.bySpinners());
    }
}
