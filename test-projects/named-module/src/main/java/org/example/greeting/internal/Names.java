package org.example.greeting.internal;

/** Not exported. */
public class Names {
    private Names() {}

    /** Its test does not look at the result. */
    public static String capital(String name) {
        return name.substring(0, 1).toUpperCase() + name.substring(1);
    }
}
