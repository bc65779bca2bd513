package org.example;

/** Extends nothing: surefire's JUnit 3 provider runs its test methods, setUp and tearDown all the same. */
public class PojoTest {
    private int one;

    public void setUp() {
        one = 1;
    }

    public void testPojo() {
        if (Kinds.pojo(one) != 6 + 1) {
            throw new IllegalStateException("pojo");
        }
    }
}
