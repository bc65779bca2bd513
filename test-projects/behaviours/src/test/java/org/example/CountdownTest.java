package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CountdownTest {
    @Test
    public void countsDown() {
        assertEquals(3, new Countdown(3).run());
    }
}
