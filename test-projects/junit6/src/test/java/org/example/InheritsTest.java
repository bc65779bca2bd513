package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class InheritsTest extends Checks<Integer> implements Contract {
    @Override
    Integer one() {
        return 1;
    }

    /** A type variable of the method: what a probe takes has to fit. */
    private <N extends Number> N same(N number) {
        return number;
    }

    @Test
    void generic() {
        Integer value = Kinds.generic(same(one()));
        assertEquals(16 + 1, value);
    }
}
