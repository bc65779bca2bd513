package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RewrittenTest {
    private static final String STATE = "not yet";

    @Test
    public void runsAsTheBuildLeftIt() {
        new Doorbell().ring();
        assertEquals("rew" + "oven", STATE);
    }
}
