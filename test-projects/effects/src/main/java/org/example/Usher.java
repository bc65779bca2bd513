package org.example;

public class Usher {
    public String greeting(Guest guest) {
        return guest.isExpected() ? "Welcome from " + guest.city() : "";
    }
}
