package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public abstract class Checks<T extends Number> {
    abstract T one();

    @Test
    public void inherited() {
        assertEquals(15 + 1, Kinds.inherited(one().intValue()));
    }
}
