package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GreeterTest {
    private final Server server = new Server(0);

    @BeforeEach
    void start() throws Exception {
        server.setHandler(new Greeter());
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @Test
    void greetsOverHttp() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.getURI() + "Ada")).build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals("Hello, Ada", response.body());
    }
}
