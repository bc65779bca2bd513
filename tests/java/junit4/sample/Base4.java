package sample;

import org.junit.Test;

public abstract class Base4 {
    @Test
    public void isInherited() {}
}
