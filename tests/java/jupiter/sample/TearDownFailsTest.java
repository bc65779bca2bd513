package sample;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class TearDownFailsTest {
    @AfterAll
    static void tearDown() {
        throw new IllegalStateException("no tear-down");
    }

    @Test
    void passesAtFirst() {}
}
