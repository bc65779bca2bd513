package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class GuardTest {
    @Test
    public void letsAVisitorIn() {
        assertEquals(2, new Guard().enter(1));
    }
}
