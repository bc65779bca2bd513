package org.example;

import org.junit.jupiter.api.Test;

class MappersTest {
    @Test
    void maps() {
        Object upper = new Mappers.Upper().map("a"), lower = new Mappers.Lower().map("A");
    }
}
