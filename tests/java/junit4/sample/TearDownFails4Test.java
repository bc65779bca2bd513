package sample;

import org.junit.AfterClass;
import org.junit.Test;

public class TearDownFails4Test {
    @AfterClass
    public static void tearDown() {
        throw new IllegalStateException("no tear-down");
    }

    @Test
    public void passesAtFirst() {}
}
