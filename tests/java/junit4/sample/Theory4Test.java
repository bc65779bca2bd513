package sample;

import static org.junit.Assert.assertTrue;

import org.junit.experimental.theories.DataPoints;
import org.junit.experimental.theories.Theories;
import org.junit.experimental.theories.Theory;
import org.junit.runner.RunWith;

@RunWith(Theories.class)
public class Theory4Test {
    @DataPoints
    public static final int[] VALUES = {1, 2};

    @Theory
    public void isPositive(int value) {
        assertTrue(value > 0);
    }
}
