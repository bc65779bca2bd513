package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(ExtensionTest.Verifier.class)
class ExtensionTest {
    private static int seen = 9;

    @Test
    void enters() {
        seen = Kinds.extension(1);
    }

    @ParameterizedTest
    @MethodSource("org.example.Kinds#invocations")
    void takes(int n) {}

    static class Verifier implements AfterAllCallback {
        @Override
        public void afterAll(ExtensionContext context) {
            assertEquals(9, seen);
        }
    }
}
