package org.example;

public class PlainTest extends Checks {
    private int one;

    @Override
    protected void setUp() {
        one = 1;
    }

    public void testPlain() {
        assertEquals(2 + 1, Kinds.plain(one));
    }

    public void testUnchecked() {
        int value = Kinds.unchecked(one);
    }
}
