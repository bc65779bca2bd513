package org.example;

import org.junit.jupiter.api.Test;

/** Prüft. */
class UmlautTest {
    @Test
    void plus() {
        new Umlaut().plus(1);
    }
}
