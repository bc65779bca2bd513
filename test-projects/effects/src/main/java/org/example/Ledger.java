package org.example;

public interface Ledger {
    void enter(String line, int amount);

    void close();
}
