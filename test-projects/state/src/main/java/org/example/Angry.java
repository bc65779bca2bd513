package org.example;

/** Each of its methods that a reader might call throws. */
public class Angry {
    private int teased;

    public void tease() {
        teased++;
    }

    @Override
    public boolean equals(Object other) {
        throw new IllegalStateException("equals");
    }

    @Override
    public int hashCode() {
        throw new IllegalStateException("hashCode");
    }

    @Override
    public String toString() {
        throw new IllegalStateException("toString" + teased);
    }
}
