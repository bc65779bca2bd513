package org.example;

import junit.framework.TestCase;

public abstract class Checks extends TestCase {
    public void testInherited() {
        assertEquals(3 + 1, Kinds.inherited(1));
    }
}
