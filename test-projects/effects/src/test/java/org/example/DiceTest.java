package org.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DiceTest {
    @Test
    void rollsNoMoreThanSix() {
        int rolled = new Dice(new Random()).roll();
        assertTrue(rolled >= 1 && rolled <= 6);
    }
}
