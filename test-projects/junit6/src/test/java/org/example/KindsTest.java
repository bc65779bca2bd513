package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KindsTest {
    private static int prepared;

    @BeforeAll
    static void prepare() {
        prepared = Kinds.beforeAll(1);
    }

    @Test
    void plain() {
        assertEquals(2 + 1, Kinds.plain(1));
    }

    @Test
    void beforeAll() {
        assertEquals(13 + 1, prepared);
    }

    @ParameterizedTest
    @MethodSource
    void parameterized(int[] values) {
        assertEquals(6 + values[0], Kinds.parameterized(values[0]));
    }

    static Stream<Object> parameterized() {
        return Stream.of(new int[] {0}, new int[] {5});
    }

    @RepeatedTest(2)
    void repeated() {
        assertEquals(7 + 1, Kinds.repeated(1));
    }

    @TestFactory
    Stream<DynamicTest> dynamic() {
        return Stream.of(0, 5).map(value ->
            DynamicTest.dynamicTest("of " + value, () -> assertEquals(8 + value, Kinds.dynamic(value))));
    }

    @Test
    void thrown() {
        Assertions.assertThrows(ArithmeticException.class, () -> System.out.println(1 / (Kinds.thrown(1) - 15 - 1)));
    }

    @Test
    void unchecked() {
        int value = Kinds.unchecked(1);
    }

    @Test
    @Disabled
    void disabled() {
        assertEquals(0, 1);
    }

    @Test
    @Tag("slow")
    void slow() {
        assertEquals(18 + 1, Kinds.excluded(1));
    }

    @Nested
    class Inner {
        @Test
        void nested() {
            assertEquals(9 + 1, Kinds.nested(1));
        }

        @Nested
        class Deeper {
            @Test
            void deeper() {
                assertEquals(10 + 1, Kinds.deeper(1));
            }
        }
    }
}
