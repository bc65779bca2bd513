package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.Authenticator;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** Leaves the JVM changed, and cleans nothing up. */
class ChangesTest {
    @Test
    void changesWhatAllShare() throws IOException {
        Path left = Files.createTempFile("left", ".behind");
        Files.write(Paths.get("target", "left-behind.txt"), Collections.singletonList(left.toString()));
        Locale.setDefault(Locale.SIMPLIFIED_CHINESE);
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Katmandu"));
        System.setProperty("org.example.rude", "yes");
        Authenticator.setDefault(new Authenticator() {});
        ProxySelector.setDefault(new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                return Collections.emptyList();
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
        });
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }
}
