package org.example;

import org.junit.Test;

public class LedgerTest {
    @Test
    public void takesADeposit() {
        Ledger ledger = new Ledger();
        ledger.deposit(5);
    }
}
