package org.example;

import java.util.ArrayList;
import java.util.List;

/** Its entries change, its own fields do not: a difference that lies deeper than one level. */
public class Ledger {
    private final List<Entry> entries = new ArrayList<>();

    static class Entry {
        private int amount;
    }

    public Ledger() {
        entries.add(new Entry());
    }

    public void deposit(int amount) {
        entries.get(0).amount += amount;
    }
}
