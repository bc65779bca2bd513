package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.URL;
import org.junit.jupiter.api.Test;

class PluginsTest {
    @Test
    void aClassIsFoundByItsName() throws Exception {
        assertEquals("COUNTING", Plugins.byName("org.example.Counting").name());
    }

    @Test
    void aServiceIsFound() {
        assertEquals(1, Plugins.available());
    }

    @Test
    void theProjectIsOnTheClassPathOfTheJvm() throws Exception {
        ClassLoader system = ClassLoader.getSystemClassLoader();
        assertSame(Plugins.class, system.loadClass("org.example.Plugins"));
        assertNotNull(system.getResource("META-INF/services/org.example.Plugin"));
    }

    @Test
    void aHandlerOfUrlsIsSetOncePerJvm() throws Exception {
        URL.setURLStreamHandlerFactory(protocol -> null);
        assertEquals("COUNTING", new Counting().name());
    }
}
