package org.example;

import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

public class AllTests {
    static int prepared;

    public static Test suite() {
        TestSuite suite = new TestSuite();
        suite.addTestSuite(InSuite.class);
        return new TestSetup(suite) {
            @Override
            protected void setUp() {
                prepared = Kinds.decorated(1);
            }
        };
    }

    public static class InSuite extends TestCase {
        public void testSuite() {
            assertEquals(4 + 1, Kinds.suite(1));
        }

        public void testDecorated() {
            assertEquals(5 + 1, prepared);
        }
    }
}
