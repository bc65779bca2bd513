package org.example;

import static org.junit.Assert.assertTrue;

import java.util.Random;
import org.junit.Test;

/** The tests draw a telling number in a quarter of their runs, except for the last one, which draws telling numbers only. */
public class DieTest {
    private final Random random = new Random();

    private int draw(int telling) {
        return random.nextInt(4) == 0 ? telling : 0;
    }

    @Test
    public void low() {
        int n = draw(1);
        boolean answer = new Die().isLow(n);
        if (n == 1) {
            assertTrue(answer);
        }
    }

    @Test
    public void high() {
        int n = draw(6);
        boolean answer = new Die().isHigh(n);
        if (n == 6) {
            assertTrue(answer);
        }
    }

    @Test
    public void even() {
        int n = draw(2);
        boolean answer = new Die().isEven(n);
        if (n == 2) {
            assertTrue(answer);
        }
    }

    @Test
    public void six() {
        assertTrue(new Die().isSix(random.nextInt(1) + 6));
    }
}
