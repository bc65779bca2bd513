package org.example;

/** An enum whose constants hold what the program computed. */
public enum Tariff {
    BASIC("basic"),
    FULL("everything");

    private final int cents;

    Tariff(String label) {
        cents = price(label);
    }

    private static int price(String label) {
        return label.length() * 100;
    }

    public int cents() {
        return cents;
    }
}
