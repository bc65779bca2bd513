package org.example;

import java.util.List;

/** A collection of a hundred thousand. */
public class Heap {
    public void fill(List<Integer> numbers) {
        for (int i = 0; i < 100_000; i++) {
            numbers.add(i);
        }
    }
}
