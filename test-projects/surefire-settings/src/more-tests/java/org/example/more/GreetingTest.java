package org.example.more;

import org.example.Person;
import org.junit.jupiter.api.Test;

class GreetingTest {
    @Test
    void greets() {
        new Person("Grace", 85).greeting();
    }
}
