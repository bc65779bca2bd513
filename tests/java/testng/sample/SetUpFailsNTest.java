package sample;

import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

public class SetUpFailsNTest {
    @BeforeClass
    public void setUp() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    public void never() {}
}
