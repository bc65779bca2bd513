package sample;

import org.testng.annotations.Test;

public class NativeTest {
    @Test
    public void isOfTestNG() {}
}
