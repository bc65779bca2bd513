package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class AfterSuiteTest {
    /** Nothing is prepared unless SuiteTest, and the listener of the POM, are there too. */
    @Test
    public void nextSuite() {
        assertEquals(SuiteTest.prepared > 0 && Started.started, true);
        assertEquals(Kinds.nextSuite(1), 11 + 1);
    }
}
