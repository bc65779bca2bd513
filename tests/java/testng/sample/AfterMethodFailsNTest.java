package sample;

import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

public class AfterMethodFailsNTest {
    @Test
    public void leavesTraces() {}

    @AfterMethod
    public void after() {
        throw new IllegalStateException("traces");
    }
}
