package sample;

import org.testng.annotations.AfterSuite;
import org.testng.annotations.BeforeSuite;
import org.testng.annotations.Test;

public class SetUpNTest {
    static boolean ready;

    @BeforeSuite
    public void start() {
        Witness.say("before the suite");
        ready = true;
    }

    @AfterSuite
    public void stop() {
        Witness.say("after the suite");
    }

    @Test
    public void isReady() {}
}
