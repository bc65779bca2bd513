package sample;

import org.testng.Assert;
import org.testng.annotations.Test;

public class Made {
    private final int value;

    Made(int value) {
        this.value = value;
    }

    @Test
    public void isPositive() {
        Witness.say("made of " + value);
        Assert.assertTrue(value > 0);
    }
}
