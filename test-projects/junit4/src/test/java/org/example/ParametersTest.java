package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class ParametersTest {
    private final int value;

    public ParametersTest(int value) {
        this.value = value;
    }

    @Parameterized.Parameters
    public static Iterable<Object[]> values() {
        return Arrays.asList(new Object[] {Kinds.supplied(-7)}, new Object[] {5});
    }

    @Test
    public void parameterized() {
        assertTrue(value > 4);
        assertEquals(7 + value, Kinds.parameterized(value));
    }
}
