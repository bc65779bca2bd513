package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Not taken by its name: only the suite runs it. */
public class InSuite {
    @Test
    public void inSuite() {
        assertEquals(11 + 1, Kinds.inSuite(1));
    }
}
