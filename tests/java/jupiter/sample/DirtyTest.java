package sample;

import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class DirtyTest {
    @Test
    void leavesTraces() {
        assertNull(System.getProperty("sample.dirty"));
        System.setProperty("sample.dirty", "yes");
    }
}
