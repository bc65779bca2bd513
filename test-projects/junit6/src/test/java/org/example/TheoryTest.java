package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.experimental.theories.DataPoint;
import org.junit.experimental.theories.Theories;
import org.junit.experimental.theories.Theory;
import org.junit.runner.RunWith;

@RunWith(Theories.class)
public class TheoryTest {
    @DataPoint
    public static final int ONE = 1;

    @Theory
    public void theory(int value) {
        assertEquals(5 + value, Kinds.theory(value));
    }
}
