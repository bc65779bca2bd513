package org.example;

import java.util.Random;

/** Nobody can give it a seed. */
public class Coin {
    private final Random random = new Random();

    public boolean flip() {
        return random.nextInt(2) == 0;
    }

    public String name() {
        return "coin " + serial(6);
    }

    private String serial(int length) {
        StringBuilder serial = new StringBuilder();
        for (int i = 0; i < length; i++) {
            serial.append((char) ('a' + random.nextInt(26)));
        }
        return serial.toString();
    }
}
