package org.example;

/** Its tests call everything and look at nothing: each transformation needs a clean start. */
public class Ledger {
    private int entries;

    public int first() {
        return ++entries;
    }

    public int second() {
        return ++entries;
    }

    public int third() {
        return ++entries;
    }
}
