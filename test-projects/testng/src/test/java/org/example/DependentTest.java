package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class DependentTest {
    private int account;

    @Test(groups = "login")
    public void login() {
        account = 1;
    }

    @Test(dependsOnMethods = "login")
    public void dependent() {
        assertEquals(Kinds.dependent(account), 6 + 1);
    }
}
