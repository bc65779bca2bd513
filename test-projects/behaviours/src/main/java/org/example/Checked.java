package org.example;

/** Only an `assert` of the program itself notices. */
public class Checked {
    public int half(int number) {
        int result = divide(number);
        assert number < 2 || result > 1;
        return number;
    }

    private int divide(int number) {
        return number / 2 + 1;
    }
}
