package org.example;

import org.junit.jupiter.api.Test;

class DerivedTest extends BaseOfTests {
    @Test
    void enters() {
        seen = Kinds.baseClass(1);
    }

    @Test
    void isBeside() {}
}
