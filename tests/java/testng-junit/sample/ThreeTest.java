package sample;

import junit.framework.TestCase;

public class ThreeTest extends TestCase {
    public void testIsOfJUnit3() {}
}
