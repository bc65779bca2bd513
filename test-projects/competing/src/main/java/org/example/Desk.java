package org.example;

/** Counts its visitors. */
public class Desk {
    private int visitors;

    /** Returns how many there are now. */
    public int visit() {
        visitors++;
        return visitors;
    }

    public void leave() {
        visitors--;
    }
}
