package org.example;

/** When it no longer lets anybody in, it ends the JVM. */
public class Guard {
    public int enter(int visitor) {
        if (!isWelcome(visitor)) {
            System.exit(1);
        }
        return visitor + 1;
    }

    boolean isWelcome(int visitor) {
        return visitor > 0;
    }
}
