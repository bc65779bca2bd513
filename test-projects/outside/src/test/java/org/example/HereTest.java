package org.example;

import org.junit.Test;

public class HereTest {
    private final Here here = new Here();

    @Test
    public void everythingIsCalled() {
        here.doubled(21);
        here.year();
        here.isHoliday();
        here.home();
        here.threads();
        here.file();
        here.title();
        here.check(3);
        here.java();
    }
}
