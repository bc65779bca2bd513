package org.example;

import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.Test;

class DeskTest {
    @Test
    void pays() {
        Ledger ledger = mock(Ledger.class);
        Desk desk = new Desk(ledger);
        desk.pay(3);
    }
}
