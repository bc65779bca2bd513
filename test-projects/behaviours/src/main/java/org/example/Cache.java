package org.example;

import java.util.HashMap;
import java.util.Map;

/** What a transformed method leaves in it poisons the class loader for whoever comes next. */
public class Cache {
    private static final Map<Integer, Integer> KNOWN = new HashMap<>();
    private int asked;

    public int square(int number) {
        tally(number);
        Integer known = KNOWN.get(number);
        if (known == null) {
            known = compute(number);
            KNOWN.put(number, known);
        }
        return known;
    }

    private int compute(int number) {
        return number * number;
    }

    private void tally(int number) {
        asked += number;
    }
}
