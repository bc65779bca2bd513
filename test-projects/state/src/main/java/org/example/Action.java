package org.example;

/** Has a lambda, whose class is hidden and named anew in each JVM. */
public class Action {
    private final Runnable then;
    private int done;

    public Action(int times) {
        then = () -> done += times;
    }

    public void act() {
        then.run();
    }
}
