package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;

abstract class BaseOfTests {
    static int seen = 9;

    @AfterAll
    static void verify() {
        assertEquals(9, seen);
    }
}
