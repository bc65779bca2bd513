package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class AcrossTest {
    @Test(dependsOnGroups = "login")
    public void across() {
        assertEquals(Kinds.across(1), 7 + 1);
        assertEquals(DependentTest.awaited, 15 + 1);
    }
}
