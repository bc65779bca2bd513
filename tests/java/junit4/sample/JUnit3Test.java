package sample;

import junit.framework.TestCase;

public class JUnit3Test extends TestCase {
    public void testPasses() {}

    public void testFails() {
        fail("as JUnit 3 does");
    }

    public void isNoTest() {}
}
