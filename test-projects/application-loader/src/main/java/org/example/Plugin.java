package org.example;

public interface Plugin {
    String name();

    int uses();
}
