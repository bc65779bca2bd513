package sample;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** The second time, its parameters are not to be had. */
@RunWith(Parameterized.class)
public class InitFails4Test {
    public InitFails4Test(int unused) {}

    @Parameterized.Parameters
    public static Iterable<Object[]> values() {
        // Unlike a property, the security provider list is nothing that a driver puts back.
        if (java.security.Security.getProperty("sample.failing") != null) {
            throw new IllegalStateException("no parameters");
        }
        java.security.Security.setProperty("sample.failing", "from now on");
        return Arrays.asList(new Object[][] {{1}});
    }

    @Test
    public void never() {}
}
