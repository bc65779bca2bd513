package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

/** No test class by its name: only the factory makes it. */
public class Made {
    private final int value;

    Made(int value) {
        this.value = value;
    }

    @Test
    public void made() {
        assertEquals(Kinds.made(value), value + 8);
    }
}
