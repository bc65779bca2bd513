package org.example;

/** What it says decides whether a test takes place at all. */
public class Platform {
    public boolean supports(String feature) {
        return feature.length() > 2;
    }

    public int start(String feature) {
        return feature.length() * 2;
    }
}
