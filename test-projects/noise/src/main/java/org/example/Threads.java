package org.example;

import java.util.concurrent.Executors;

/** Names threads as the JVM numbers them. */
public class Threads extends Counted {
    private Thread thread = new Thread();
    private String name = thread.getName();
    private String pooled = pooled();

    private static String pooled() {
        return Executors.defaultThreadFactory().newThread(() -> {}).getName();
    }

    public void restart() {
        thread = new Thread();
        name = thread.getName();
        pooled = pooled();
    }
}
