package org.example;

import org.junit.jupiter.api.Test;

class ClerkTest {
    @Test
    void leaves() {
        new Clerk(new Ledger() {
            @Override
            public void enter(String line, int amount) {
                // not of interest
            }

            @Override
            public void close() {
                // not of interest
            }
        }).leave();
    }
}
