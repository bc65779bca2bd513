package org.example;

public class Door {
    private int knocks;

    public void knock() {
        knocks++;
    }

    public boolean opens() {
        return knocks >= 2;
    }
}
