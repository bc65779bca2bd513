package sample;

import org.junit.Test;

public class FourTest {
    @Test
    public void isOfJUnit4() {}

    @Test
    public void fails() {
        throw new IllegalStateException("four");
    }
}
