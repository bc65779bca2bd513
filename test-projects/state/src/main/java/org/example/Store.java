package org.example;

import java.util.Arrays;
import java.util.Hashtable;
import java.util.concurrent.LinkedBlockingQueue;

/** Containers that are too large to be read as a whole. */
public class Store {
    private final LinkedBlockingQueue<Integer> orders = new LinkedBlockingQueue<>();
    private final Hashtable<Integer, String> names = new Hashtable<>();
    private final boolean[] sold = new boolean[70_000];

    public Store() {
        for (int i = 0; i < 400; i++) {
            orders.add(i);
            names.put(i, "no. " + i);
        }
    }

    public void close() {
        Arrays.fill(sold, 69_000, 70_000, true);
    }
}
