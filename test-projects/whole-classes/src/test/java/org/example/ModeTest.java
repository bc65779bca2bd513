package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ModeTest {
    @Test
    void mode() {
        assertEquals(System.getProperty("mode") == null ? 1 : 2, Kinds.mode());
        Kinds.isFast();
    }
}
