package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public abstract class Checks<T> {
    abstract T one();

    @Test
    public void inherited() {
        assertEquals(Kinds.inherited(((Number) one()).intValue()), 9 + 1);
    }
}
