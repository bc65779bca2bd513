package org.example;

public class Umlaut {
    public int plus(int n) {
        return n + 2;
    }
}
