package sample;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Its tests have different names in each class loader. */
@RunWith(Parameterized.class)
public class VintageRenamedTest {
    private final int value;

    public VintageRenamedTest(String name, int value) {
        this.value = value;
    }

    @Parameterized.Parameters(name = "{0}")
    public static Iterable<Object[]> values() {
        String loader = Integer.toHexString(System.identityHashCode(VintageRenamedTest.class.getClassLoader()));
        return Arrays.asList(new Object[][] {{loader + "-1", 1}, {loader + "-2", 2}});
    }

    @Test
    public void isOne() {
        assertEquals(1, value);
    }
}
