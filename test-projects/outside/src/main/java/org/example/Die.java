package org.example;

public class Die {
    public boolean isLow(int n) {
        return n < 3;
    }

    public boolean isHigh(int n) {
        return n > 3;
    }

    public boolean isEven(int n) {
        return n % 2 == 0;
    }

    public boolean isSix(int n) {
        return n == 6;
    }
}
