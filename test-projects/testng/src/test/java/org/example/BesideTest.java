package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BesideTest {
    @Test
    public void beside() {
        assertEquals(12 + 1, Kinds.beside(1));
    }
}
