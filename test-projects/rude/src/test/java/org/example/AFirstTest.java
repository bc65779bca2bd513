package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Authenticator;
import java.net.ProxySelector;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** First by its name: what the tests behind it change must not be there when the suite runs again. */
class AFirstTest {
    @Test
    void nothingIsLeftOfTheRunBefore() throws Exception {
        assertTrue(ProxySelector.getDefault().getClass().getName().startsWith("sun."));
        assertNull(Authenticator.class.getMethod("getDefault").invoke(null));
        assertFalse(Locale.getDefault().equals(Locale.SIMPLIFIED_CHINESE));
        assertFalse(TimeZone.getDefault().getID().equals("Asia/Katmandu"));
        assertNull(System.getProperty("org.example.rude"));
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }
}
