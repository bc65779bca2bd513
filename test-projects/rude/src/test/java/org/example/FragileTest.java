package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FragileTest {
    @Test
    void ends() {
        assertEquals(4, Fragile.rounds());
    }

    @Test
    void passes() throws Exception {
        new Fragile().pass();
    }

    @Test
    void isAsDeepAsAsked() {
        assertEquals(5, Fragile.depth(5));
    }

    @Test
    void hasTwoRows() {
        assertEquals(2, Fragile.rows());
    }

    @Test
    void enters() {
        assertEquals("welcome Ada", Fragile.enter("Ada"));
    }
}
