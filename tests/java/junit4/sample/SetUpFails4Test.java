package sample;

import org.junit.BeforeClass;
import org.junit.Test;

public class SetUpFails4Test {
    @BeforeClass
    public static void setUp() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    public void first() {}

    @Test
    public void second() {}
}
