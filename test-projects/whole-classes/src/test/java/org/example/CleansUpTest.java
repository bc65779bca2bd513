package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CleansUpTest {
    @AfterEach
    void cleanUp() {
        Registry.cleanUp();
    }

    @Test
    void registers() {
        Registry.register("a");
        assertEquals(1, Registry.registered());
    }
}
