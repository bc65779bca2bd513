package org.example;

import org.junit.jupiter.api.Test;

class GreetingTest {
    @Test
    void greets() {
        new Greeting().to("Anna");
    }

    @Test
    void sells() {
        new Greeting().price(3);
    }
}
