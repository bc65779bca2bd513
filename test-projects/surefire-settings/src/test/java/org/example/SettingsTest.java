package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void argumentsWithEarlyAndLateProperties() {
        assertEquals("eager", System.getProperty("org.example.eager"));
        assertEquals("in_time", System.getProperty("org.example.late"));
        assertEquals("IS", Locale.getDefault().getCountry());
    }

    @Test
    void systemProperties() {
        assertTrue(System.getProperty("org.example.built").endsWith("build" + File.separator + "out"));
        assertEquals("yes", System.getProperty("org.example.from.config"));
    }

    @Test
    void environment() {
        assertEquals("set", System.getenv("ORG_EXAMPLE_SETTING"));
        assertNull(System.getenv("ORG_EXAMPLE_HIDDEN"));
        assertNotNull(System.getenv("PATH"));
    }

    @Test
    void relativePaths() throws Exception {
        byte[] greeting = Files.readAllBytes(Paths.get("greeting.txt"));
        assertEquals("hello from the working directory", new String(greeting, StandardCharsets.UTF_8).trim());
        assertTrue(new File("../pom.xml").isFile());
    }

    @Test
    void resources() throws Exception {
        try (InputStream words = SettingsTest.class.getResourceAsStream("/words.txt")) {
            assertNotNull(words);
        }
    }

    @Test
    void additionalElements() throws Exception {
        Object modern = Class.forName("org.example.Modern").getConstructor().newInstance();
        assertEquals("17", modern.getClass().getMethod("release").invoke(modern));
    }

    @Test
    void assertions() {
        boolean enabled = false;
        assert enabled = true;
        assertEquals(Boolean.getBoolean("org.example.assertions"), enabled);
    }
}
