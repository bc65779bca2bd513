package org.example;

import org.junit.jupiter.api.Test;

class JavaTest {
    @Test
    void java() {
        int value = Kinds.java(1);
    }
}
