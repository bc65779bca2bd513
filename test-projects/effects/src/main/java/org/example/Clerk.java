package org.example;

/** Nobody has given it a mock yet. */
public class Clerk {
    private final Ledger ledger;
    private boolean here = true;

    public Clerk(Ledger ledger) {
        this.ledger = ledger;
    }

    public void leave() {
        if (here) {
            here = false;
            ledger.close();
        }
    }
}
