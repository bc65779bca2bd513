package org.example;

import java.util.Random;
import java.util.UUID;

/** Rolls. */
public class Dice extends Counted {
    private final Random random = new Random();
    private int rolled = random.nextInt();
    private double chance = Math.random();
    private String id = UUID.randomUUID().toString();

    public void roll() {
        rolled = random.nextInt();
        chance = Math.random();
        id = UUID.randomUUID().toString();
    }
}
