package sample;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class Parameters4Test {
    private final int value;

    public Parameters4Test(String name, int value) {
        this.value = value;
    }

    // Two of three names are equal.
    @Parameterized.Parameters(name = "{0}")
    public static Iterable<Object[]> values() {
        return Arrays.asList(new Object[][] {{"same", 1}, {"same", -1}, {"other", 1}});
    }

    @Test
    public void isPositive() {
        assertTrue("value " + value, value > 0);
    }
}
