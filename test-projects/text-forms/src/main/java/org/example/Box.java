package org.example;

public class Box {
    private int n;

    public void put(int k) {
        n += k;
    }

    public int sum() {
        return n + 1;
    }
}
