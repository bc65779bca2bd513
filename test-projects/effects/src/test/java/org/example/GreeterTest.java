package org.example;

import org.junit.jupiter.api.Test;

class GreeterTest {
    @Test
    void greets() {
        new Greeter().greet("Ada");
    }
}
