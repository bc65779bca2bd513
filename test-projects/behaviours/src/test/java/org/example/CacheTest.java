package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CacheTest {
    @Test
    public void squares() {
        assertEquals(49, new Cache().square(7));
    }
}
