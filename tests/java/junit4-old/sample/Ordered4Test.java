package sample;

import org.junit.Test;

public class Ordered4Test {
    @Test
    public void zeta() {}

    @Test
    public void alpha() {}

    @Test
    public void mike() {}

    @Test
    public void bravo() {}

    @Test
    public void tango() {}

    @Test
    public void echoes() {}

    @Test
    public void isRemovedFromTheList() {}

    @Test
    public void isAddedToTheList() {}
}
