package sample;

import org.testng.Assert;
import org.testng.annotations.Test;

public class DependsNTest {
    private boolean loggedIn;

    @Test(groups = "login")
    public void login() {
        Witness.say("login");
        loggedIn = true;
    }

    @Test(dependsOnMethods = "login")
    public void buys() {
        Assert.assertTrue(loggedIn);
    }

    @Test(priority = -1)
    public void zComesFirst() {}

    @Test
    public void fails() {
        Assert.fail("as it does");
    }

    @Test(dependsOnMethods = "fails")
    public void isSkipped() {}
}
