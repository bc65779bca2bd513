package sample;

import org.junit.AfterClass;
import org.junit.Assert;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class VintageTest {
    @Test
    public void aFails() {
        Assert.fail("as Vintage does");
    }

    @Test
    public void bPasses() {}

    @AfterClass
    public static void tearDown() {
        Witness.say("tear-down of VintageTest");
    }
}
