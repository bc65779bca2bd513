package org.example;

/** Used by the class that insists on being run whole. */
public class Names {
    public String greet(String name) {
        return "Hello " + clean(name);
    }

    String clean(String name) {
        return name.trim() + "!";
    }

    boolean isLong(String name) {
        return name.length() > 5;
    }
}
