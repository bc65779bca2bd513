package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

interface Contract {
    @Test
    default void contract() {
        assertEquals(12 + 1, Kinds.contract(1));
    }
}
