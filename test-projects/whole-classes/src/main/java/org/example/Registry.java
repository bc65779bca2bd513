package org.example;

import java.util.ArrayList;
import java.util.List;

/** Shared by all test classes. One of them cleans up, and the next one relies on it. */
public class Registry {
    private static final List<String> NAMES = new ArrayList<>();

    private Registry() {}

    public static void register(String name) {
        NAMES.add(name);
    }

    public static int registered() {
        return NAMES.size();
    }

    public static void cleanUp() {
        while (registered() > 0) {
            NAMES.remove(0);
        }
    }
}
