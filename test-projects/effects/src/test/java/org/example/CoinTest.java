package org.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CoinTest {
    @Test
    void flips() {
        Coin coin = new Coin();
        coin.flip();
    }

    @Test
    void hasAName() {
        assertTrue(new Coin().name().startsWith("coin "));
    }
}
