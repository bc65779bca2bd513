package org.example;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class DoorTest {
    @Test
    void staysClosed() {
        Door door = new Door();
        assertFalse(door.opens());
        door.knock();
    }
}
