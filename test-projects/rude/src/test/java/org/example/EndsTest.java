package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

class EndsTest {
    @Test
    void exits() {
        Reached.byTheTestThatExits();
        System.exit(3);
    }

    @Test
    void halts() {
        Runtime.getRuntime().halt(4);
    }

    @Test
    void fails() {
        Reached.byTheTestThatFails();
        fail("it always does");
    }

    @Test
    void failsEveryThirdTime() throws Exception {
        Path file = Paths.get("target/runs");
        int runs = Files.exists(file) ? Integer.parseInt(new String(Files.readAllBytes(file))) : 0;
        Files.write(file, String.valueOf(runs + 1).getBytes());
        assertEquals(Reached.calls() + 4, Reached.byAll());
        if (runs % 3 == 2) {
            fail("this time");
        }
    }

    @Test
    void passes() {
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }
}
