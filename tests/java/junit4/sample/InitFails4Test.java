package sample;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Its parameters method fails in the second run. */
@RunWith(Parameterized.class)
public class InitFails4Test {
    public InitFails4Test(int unused) {}

    @Parameterized.Parameters
    public static Iterable<Object[]> values() {
        // A driver restores system properties, but not the list of security providers.
        if (java.security.Security.getProperty("sample.failing") != null) {
            throw new IllegalStateException("no parameters");
        }
        java.security.Security.setProperty("sample.failing", "from now on");
        return Arrays.asList(new Object[][] {{1}});
    }

    @Test
    public void never() {}
}
