package org.example;

public class Odd {
    public int one(int n) {
        return n + 2;
    }

    public int two(int n) {
        return n + 3;
    }
}
