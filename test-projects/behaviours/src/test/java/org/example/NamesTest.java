package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.AfterClass;
import org.junit.Test;

/** Its tear-down fails unless all of its tests have run. */
public class NamesTest {
    private static int run;

    @AfterClass
    public static void allHaveRun() {
        assertEquals(3, run);
    }

    @Test
    public void greets() {
        run++;
        assertEquals("Hello Ann!", new Names().greet(" Ann "));
    }

    @Test
    public void tellsALongName() {
        run++;
        assertTrue(new Names().isLong("Alexandra"));
    }

    @Test
    public void needsNothing() {
        run++;
    }
}
