package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LaterTest {
    private int first = 9;
    private int last = 9;
    private int outer = 9;

    @Test
    @Order(1)
    void enters() {
        first = Kinds.laterTest(1);
        last = Kinds.afterAll(1);
        outer = Kinds.outerOfNested(1);
        Kinds.nobody(1);
    }

    @Test
    @Order(2)
    void looks() {
        assertEquals(9, first);
    }

    @Test
    @Order(3)
    void entersWhatNobodyLooksAt() {
        Kinds.nobody(2);
    }

    @AfterAll
    void end() {
        assertEquals(9, last);
    }

    @Nested
    class Inner {
        @Test
        void looksAtOuter() {
            assertEquals(9, outer);
        }
    }
}
