package org.example;

/** What is really different in the midst of noise. */
public class Counted {
    private int count;

    public void count() {
        count++;
    }
}
