package org.example;

/** So long that who followed it to its end by recursion would run out of stack. */
public class Chain {
    private final Chain next;
    private int pulls;

    public Chain(Chain next) {
        this.next = next;
    }

    public static Chain of(int links) {
        Chain chain = null;
        for (int i = 0; i < links; i++) {
            chain = new Chain(chain);
        }
        return chain;
    }

    public void pull() {
        pulls++;
    }

    public boolean isLast() {
        return next == null && pulls >= 0;
    }
}
