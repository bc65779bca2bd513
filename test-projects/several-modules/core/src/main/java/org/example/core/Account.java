package org.example.core;

/** Covered by the tests of all three modules, each of which sees something else of it. */
public class Account {
    private int balance;
    private int changes;

    public void deposit(int amount) {
        balance += amount;
        count();
    }

    /** The test of `core` enters it without looking; that of `checks` looks. */
    public void withdraw(int amount) {
        balance -= amount;
        count();
    }

    /** No test of `core` enters it; those of `app` do, and look. */
    public String label() {
        return "Account with " + balance;
    }

    public boolean isEmpty() {
        return balance == 0;
    }

    /** Nobody looks, in no module. */
    private void count() {
        changes++;
    }
}
