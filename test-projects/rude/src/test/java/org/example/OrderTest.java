package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class OrderTest {
    private static int prepared;

    @Test
    void first() {
        prepared = 4;
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }

    @Test
    void second() {
        assertEquals(4, prepared);
        assertEquals(Reached.calls() + prepared, Reached.byAll());
    }
}
