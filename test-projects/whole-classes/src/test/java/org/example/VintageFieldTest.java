package org.example;

import junit.framework.TestCase;

/** Its only check is that it can be made. */
public class VintageFieldTest extends TestCase {
    private final int length = Kinds.field().concat("").length();

    public void testMadeIsEnough() {}
}
