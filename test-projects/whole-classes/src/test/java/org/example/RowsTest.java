package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RowsTest {
    @Test
    void looksAtOneOfTwo() {
        Tables.columns();
        assertEquals(9, Tables.rows());
    }
}
