package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CounterTest {
    @Test
    public void countingStartsAtZero() {
        assertEquals(0, new Counter().next());
    }
}
