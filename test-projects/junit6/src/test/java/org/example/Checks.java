package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

abstract class Checks<T extends Number> {
    abstract T one();

    @Test
    void inherited() {
        assertEquals(11 + 1, Kinds.inherited(one().intValue()));
    }
}
