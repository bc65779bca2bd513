package org.example.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AccountTest {
    @Test
    public void depositsAreKept() {
        Account account = new Account();
        assertTrue(account.isEmpty());
        account.deposit(5);
        assertFalse(account.isEmpty());
    }

    @Test
    public void withdrawsSomething() {
        Account account = new Account();
        account.deposit(5);
        account.withdraw(2);
    }

    @Test
    public void runsInItsOwnModule() {
        assertEquals("core", System.getProperty("org.example.module"));
    }
}
