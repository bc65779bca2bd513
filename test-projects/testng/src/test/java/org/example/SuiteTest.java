package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.BeforeSuite;
import org.testng.annotations.Test;

public class SuiteTest {
    static int prepared;

    @BeforeSuite(alwaysRun = true)
    public void prepare() {
        prepared = Kinds.beforeSuite(1);
    }

    @Test
    public void beforeSuite() {
        assertEquals(prepared, 10 + 1);
    }
}
