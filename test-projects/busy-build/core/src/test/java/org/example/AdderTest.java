package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AdderTest {
    @Test
    void adds() {
        assertEquals(3, new Adder().add(1, 2));
    }
}
