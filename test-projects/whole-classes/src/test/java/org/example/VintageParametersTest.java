package org.example;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Its only check is that there are parameters. */
@RunWith(Parameterized.class)
public class VintageParametersTest {
    @Parameters
    public static Object[] parameters() {
        return Kinds.parameters();
    }

    public VintageParametersTest(int ignored) {}

    @Test
    public void takes() {}
}
