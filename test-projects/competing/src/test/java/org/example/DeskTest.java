package org.example;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeskTest {
    /** Kept until the JVM ends, as a server with a port of its own would be. */
    private static FileLock lock;

    private final Desk desk = new Desk();

    @BeforeEach
    void opens() throws IOException {
        if (lock != null) {
            return;
        }
        FileChannel file =
                FileChannel.open(Paths.get("target", "desk.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            lock = file.tryLock();
        } catch (OverlappingFileLockException thisJvmHasIt) {
            return;
        }
        assertNotNull(lock, "another JVM has the desk");
    }

    @Test
    void visits() {
        desk.visit();
        assertNotEquals(0, desk.visit());
    }

    @Test
    void leaves() {
        desk.visit();
        desk.leave();
        desk.toString();
    }
}
