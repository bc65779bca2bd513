package org.example;

import java.util.Date;

/** Tells the time, and how much of it has gone by. */
public class Stopwatch extends Counted {
    private final long begin = System.nanoTime();
    private long took = System.nanoTime() - begin;
    private Date finished = new Date();
    private String shown = "after " + took + " ns";

    public void stop() {
        took = System.nanoTime() - begin;
        finished = new Date();
        shown = "after " + took + " ns";
    }
}
