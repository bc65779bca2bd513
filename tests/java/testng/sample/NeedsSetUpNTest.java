package sample;

import org.testng.Assert;
import org.testng.annotations.Test;

public class NeedsSetUpNTest {
    @Test
    public void isReady() {
        Assert.assertTrue(SetUpNTest.ready);
    }
}
