package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FindsCleanTest {
    @Test
    void nothingIsRegistered() {
        assertEquals(0, Registry.registered());
    }
}
