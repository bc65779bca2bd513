package sample;

import org.testng.Assert;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class OutcomesNTest {
    @BeforeMethod
    public void before() {
        System.out.println("this is dropped");
    }

    @Test
    public void aPasses() {}

    @Test(groups = "slow")
    public void bFails() {
        Assert.assertEquals(2, 1);
    }

    @Test(enabled = false)
    public void cIsDisabled() {}

    @Test
    public void dSkips() {
        throw new SkipException("not here");
    }

    @Test(expectedExceptions = IllegalStateException.class)
    public void eThrows() {
        throw new IllegalStateException();
    }

    @Test(expectedExceptions = IllegalStateException.class)
    public void fDoesNotThrow() {}

    @AfterMethod(alwaysRun = true)
    public void after() {}

    @AfterClass(alwaysRun = true)
    public void tearDown() {
        Witness.say("tear-down of OutcomesNTest");
    }
}
