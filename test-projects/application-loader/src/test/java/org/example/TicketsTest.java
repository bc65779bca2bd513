package org.example;

import org.junit.jupiter.api.Test;

class TicketsTest {
    @Test
    void areDrawn() {
        Tickets tickets = new Tickets();
        tickets.drawAgain();
        tickets.shuffle();
    }
}
