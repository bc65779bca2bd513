package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionedSetTest {
    private final VersionedSet<String> set = new VersionedSet<>();

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", ""})
    void anElementIsAddedOnce(String element) {
        assertTrue(set.add(element));
        assertFalse(set.add(element));
        assertEquals(1, set.size());
    }

    @Test
    void theRecipeIsSurefires() {
        assertEquals("late", System.getProperty("org.example.late"));
        assertEquals("two words", System.getProperty("org.example.text"));
        assertTrue(System.getProperty("org.example.folder").endsWith("target"));
        assertEquals("example", System.getenv("ORG_EXAMPLE"));
    }

    @Test
    @Tag("slow")
    void setsWithDifferentElementsAreNotEqual() {
        set.add("a");
        assertNotEquals(set, new VersionedSet<String>());
    }

    @Nested
    class WithTwoElements {
        @BeforeEach
        void addTwoElements() {
            set.add("a");
            set.add("b");
        }

        @Test
        void containsWhatWasAdded() {
            assertTrue(set.contains("a"));
            assertFalse(set.contains("c"));
        }

        @Test
        void anElementIsRemovedOnce() {
            assertTrue(set.remove("a"));
            assertFalse(set.remove("a"));
            assertEquals(1, set.size());
        }

        @Test
        void aSetThatWasClearedHasNoElements() {
            set.clear();
            assertEquals(0, set.size());
        }

        @Test
        void setsWithTheSameElementsAreEqual() {
            VersionedSet<String> other = new VersionedSet<>();
            other.add("b");
            other.add("a");
            assertEquals(set, other);
        }
    }
}
