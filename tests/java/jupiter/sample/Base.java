package sample;

import org.junit.jupiter.api.Test;

interface Base {
    @Test
    default void isInherited() {}
}
