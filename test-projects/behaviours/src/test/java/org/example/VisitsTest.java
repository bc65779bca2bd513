package org.example;

import org.junit.Test;

public class VisitsTest {
    @Test
    public void registers() {
        new Visits().register();
    }
}
