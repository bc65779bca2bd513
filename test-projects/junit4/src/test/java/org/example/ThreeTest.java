package org.example;

import junit.framework.TestCase;

public class ThreeTest extends TestCase {
    public void testThree() {
        assertEquals(14 + 1, Kinds.three(1));
    }
}
