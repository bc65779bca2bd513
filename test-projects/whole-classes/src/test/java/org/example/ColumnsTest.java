package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ColumnsTest {
    @Test
    void looksAtOneOfTwo() {
        Tables.rows();
        assertEquals(9, Tables.columns());
    }
}
