package sample;

import java.util.Arrays;
import java.util.Iterator;
import org.testng.Assert;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class ParametersNTest {
    @DataProvider(parallel = true)
    public Object[][] values() {
        return new Object[][] {{1, "a"}, {-1, "b"}, {2, "c"}};
    }

    @Test(dataProvider = "values")
    public void isPositive(int value, String name) {
        Witness.say("value " + value);
        Assert.assertTrue(value > 0, name);
    }

    @Test(invocationCount = 2, threadPoolSize = 2)
    public void repeats() {
        Witness.say("repeats in " + Thread.currentThread().getName());
    }
}
