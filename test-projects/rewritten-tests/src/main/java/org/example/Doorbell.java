package org.example;

public class Doorbell {
    private int rings;

    /** Both tests ring, and neither looks. */
    public void ring() {
        rings++;
    }

    public boolean isSilent() {
        return rings == 0;
    }
}
