package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.Test;

class UsherTest {
    @Test
    void doesNotGreetStrangers() {
        assertEquals("", new Usher().greeting(mock(Guest.class)));
    }
}
