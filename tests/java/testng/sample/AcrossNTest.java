package sample;

import org.testng.annotations.Test;

public class AcrossNTest {
    @Test(dependsOnGroups = "login")
    public void sells() {}
}
