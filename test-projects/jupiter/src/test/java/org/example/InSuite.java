package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class InSuite {
    /** Not taken by its name: only the suite runs it. */
    @Test
    void inSuite() {
        assertEquals(17 + 1, Kinds.inSuite(1));
    }
}
