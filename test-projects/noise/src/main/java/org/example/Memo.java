package org.example;

import java.util.HashMap;
import java.util.Map;

/** Remembers for all tests what one of them asked for. */
public class Memo extends Counted {
    private static final Map<Integer, String> KNOWN = new HashMap<>();

    public String name(int number) {
        return KNOWN.computeIfAbsent(number, Integer::toHexString);
    }

    public void warm() {
        name(10);
        name(11);
    }
}
