package org.example.checks;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.example.app.Bank;
import org.example.core.Account;
import org.junit.Test;

public class WithdrawalTest {
    @Test
    public void anAccountIsEmptied() {
        Account account = new Bank().open(3);
        account.withdraw(3);
        assertTrue(account.isEmpty());
    }

    @Test
    public void runsInItsOwnModule() {
        assertEquals("checks", System.getProperty("org.example.module"));
    }
}
