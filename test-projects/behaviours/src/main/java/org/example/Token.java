package org.example;

import java.util.Random;

/** Full of what is never the same twice, and still has one thing that is. */
public class Token {
    private final long created = System.nanoTime();
    private final int random = new Random().nextInt();
    private final Object identity = new Object();
    private final String thread = "at " + identity;
    private int uses;

    public long use() {
        count();
        return created + random + identity.hashCode() + thread.length();
    }

    private void count() {
        uses++;
    }

    public boolean wasUsed() {
        return uses > 0;
    }
}
