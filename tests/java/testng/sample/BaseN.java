package sample;

import org.testng.annotations.Test;

public abstract class BaseN<T> {
    abstract T value();

    @Test
    public void isInherited() {
        value();
    }
}
