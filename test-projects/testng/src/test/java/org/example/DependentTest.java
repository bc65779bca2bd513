package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public class DependentTest {
    static int awaited;

    private int account;

    @Test(groups = "login")
    public void login() {
        account = 1;
        awaited = Kinds.awaited(1);
    }

    @Test(dependsOnMethods = "login")
    public void dependent() {
        assertEquals(Kinds.dependent(account), 6 + 1);
    }
}
