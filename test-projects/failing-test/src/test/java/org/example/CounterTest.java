package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CounterTest {
    @Test
    public void countingStartsAtOne() {
        assertEquals(1, new Counter().next());
    }

    @Test
    public void countingStartsAtZero() {
        assertEquals(0, new Counter().next());
    }
}
