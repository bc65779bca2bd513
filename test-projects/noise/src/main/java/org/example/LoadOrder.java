package org.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Loads classes, each of which is numbered by its initialiser, in another order each time. */
public class LoadOrder extends Counted {
    private static int next;
    private String numbers = numbers();

    private static class North {
        static final int NUMBER = ++next;
    }

    private static class East {
        static final int NUMBER = ++next;
    }

    private static class South {
        static final int NUMBER = ++next;
    }

    private static class West {
        static final int NUMBER = ++next;
    }

    private static String numbers() {
        List<String> names = new ArrayList<>(Arrays.asList("North", "East", "South", "West"));
        Collections.shuffle(names);
        for (String name : names) {
            try {
                Class.forName(LoadOrder.class.getName() + "$" + name);
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
        return "" + North.NUMBER + East.NUMBER + South.NUMBER + West.NUMBER;
    }

    public void readAgain() {
        numbers = numbers();
    }
}
