package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class ContextTest {
    @Test
    public void aPaysForTheContext() {
        assertTrue(new Context().isReady());
    }

    @Test
    public void bFindsTheContextThere() {
        assertEquals(2, new Context().use());
    }
}
