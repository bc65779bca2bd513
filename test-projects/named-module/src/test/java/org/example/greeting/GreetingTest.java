package org.example.greeting;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.slf4j.Logger;

public class GreetingTest {
    @Test
    public void greets() {
        assertTrue(new Greeting().to("ada").startsWith("Hello"));
    }

    @Test
    public void testsAndCodeAreInTheModule() {
        assertEquals("org.example.greeting", GreetingTest.class.getModule().getName());
        assertEquals("org.example.greeting", Greeting.class.getModule().getName());
        assertEquals("org.slf4j", Logger.class.getModule().getName());
        assertFalse(Test.class.getModule().isNamed());
    }
}
