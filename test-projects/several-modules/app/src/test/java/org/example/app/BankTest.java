package org.example.app;

import static org.junit.Assert.assertEquals;

import org.example.core.Account;
import org.junit.Test;

public class BankTest {
    @Test
    public void accountsAreLabelled() {
        assertEquals("Account with 7", new Bank().open(7).label());
    }

    @Test
    public void accountsAreClosed() {
        Bank bank = new Bank();
        Account account = bank.open(1);
        bank.close(account);
    }

    @Test
    public void runsInItsOwnModule() {
        assertEquals("app", System.getProperty("org.example.module"));
    }
}
