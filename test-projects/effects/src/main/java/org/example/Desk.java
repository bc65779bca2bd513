package org.example;

/** What it does, it tells its ledger. */
public class Desk {
    private final Ledger ledger;

    public Desk(Ledger ledger) {
        this.ledger = ledger;
    }

    public void pay(int amount) {
        if (amount > 0) {
            ledger.enter("paid", amount);
        }
    }
}
