package org.example;

/** Found as a service, or by its name. */
public class Counting implements Plugin {
    private int uses;

    @Override
    public String name() {
        count();
        return "counting".toUpperCase();
    }

    @Override
    public int uses() {
        return uses;
    }

    private void count() {
        uses++;
    }
}
