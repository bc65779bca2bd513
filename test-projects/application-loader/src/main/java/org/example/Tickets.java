package org.example;

import java.util.HashSet;
import java.util.Set;

/** Identity hash codes, and an order that follows them: noise, though they are the same in every JVM that has only just begun. */
public class Tickets {
    private int last = draw(new Object());
    private String order = order();

    private static class Ticket {
        private final char name;

        Ticket(char name) {
            this.name = name;
        }
    }

    private static int draw(Object ticket) {
        return System.identityHashCode(ticket);
    }

    private static String order() {
        Set<Ticket> tickets = new HashSet<>();
        for (char name = 'a'; name <= 'z'; name++) {
            tickets.add(new Ticket(name));
        }
        StringBuilder order = new StringBuilder();
        for (Ticket ticket : tickets) {
            order.append(ticket.name);
        }
        return order.toString();
    }

    public void drawAgain() {
        last = draw(new Object());
    }

    public void shuffle() {
        order = order();
    }
}
