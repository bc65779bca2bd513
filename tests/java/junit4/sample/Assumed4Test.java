package sample;

import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.Test;

public class Assumed4Test {
    @BeforeClass
    public static void setUp() {
        Assume.assumeTrue(false);
    }

    @Test
    public void never() {}
}
