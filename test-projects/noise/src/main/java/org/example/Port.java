package org.example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Listens on any port that is free. */
public class Port extends Counted {
    private int number = free();
    private String address = "localhost:" + number;

    private static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void change() {
        number = free();
        address = "localhost:" + number;
    }
}
