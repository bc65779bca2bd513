package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class FourTest {
    @Test
    public void four() {
        assertEquals(3 + 1, Kinds.four(1));
    }
}
