package sample;

import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

public class TearDownFailsNTest {
    @Test
    public void passesAtFirst() {}

    @AfterClass
    public void tearDown() {
        throw new IllegalStateException("no tear-down");
    }
}
