package org.example;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;

class CrateTest {
    @Test
    void counts() {
        Crate crate = new Crate();
        crate.add(1);
        assertNotNull(crate.counts());
    }
}
