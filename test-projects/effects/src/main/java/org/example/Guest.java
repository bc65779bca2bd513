package org.example;

public interface Guest {
    String name();

    String city();

    int age();

    boolean isExpected();
}
