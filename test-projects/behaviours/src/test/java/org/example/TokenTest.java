package org.example;

import static org.junit.Assert.assertNotEquals;

import org.junit.Test;

public class TokenTest {
    @Test
    public void isUsed() {
        Token token = new Token();
        long first = token.use();
        assertNotEquals(first, new Token().use());
        token.use();
    }
}
