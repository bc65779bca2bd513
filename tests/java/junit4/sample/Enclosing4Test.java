package sample;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class Enclosing4Test {
    public static class Inner {
        @Test
        public void isEnclosed() {}
    }
}
