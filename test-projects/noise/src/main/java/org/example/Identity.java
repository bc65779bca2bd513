package org.example;

/** Keeps identity hash codes, as numbers and as texts. */
public class Identity extends Counted {
    private String label = new Object().toString();
    private int number = System.identityHashCode(label);

    public void renew() {
        label = new Object().toString();
        number = System.identityHashCode(label);
    }
}
