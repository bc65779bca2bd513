package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VersionedSetTest {
    private final VersionedSet set = new VersionedSet();

    @Test
    void adds() {
        set.add("a"); // adds
        assertEquals(1, set.size());
    }

    @Test
    void removes() {
        set.add("a");
        set.remove("a"); // removes
        assertEquals(0, set.size());
    }

    @Test
    void equalSets() {
        VersionedSet one = new VersionedSet();
        VersionedSet two = new VersionedSet();
        one.add("a");
        two.add("a");
        assertEquals(one, two);
    }
}
