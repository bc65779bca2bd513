package org.example;

public class Greeting {
    public String to(String name) {
        return "Grüße an " + name;
    }

    /** The euro sign is not part of ISO 8859-1, and nobody sees the space without a width. */
    public String price(int euros) {
        return euros + "\u200b\u20ac";
    }
}
