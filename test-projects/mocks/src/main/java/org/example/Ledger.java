package org.example;

public interface Ledger {
    int enter(String line);

    void close();
}
