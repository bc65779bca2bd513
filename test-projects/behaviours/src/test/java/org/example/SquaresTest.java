package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class SquaresTest {
    /** Runs first, and asks for what is the same with and without the change. */
    @Test
    public void aZero() {
        assertTrue(Squares.of(0) < 1);
    }

    @Test
    public void three() {
        assertEquals(9, Squares.of(3));
    }
}
