package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SecondOfSuite {
    @Test
    void looks() {
        assertEquals(9, FirstOfSuite.seen);
    }
}
