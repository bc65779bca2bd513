package sample;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class VintageParametersTest {
    private final int value;

    public VintageParametersTest(int value) {
        this.value = value;
    }

    @Parameterized.Parameters
    public static Iterable<Object[]> values() {
        return Arrays.asList(new Object[][] {{1}, {-1}, {2}});
    }

    @Test
    public void isPositive() {
        Witness.say("value " + value);
        assertTrue(value > 0);
    }
}
