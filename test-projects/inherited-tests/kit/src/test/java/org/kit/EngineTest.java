package org.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EngineTest {
    @Test
    void other() {
        new Lexer().next(1);
        assertEquals(9, new Engine().other(1));
    }
}
