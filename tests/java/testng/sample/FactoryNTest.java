package sample;

import org.testng.annotations.Factory;

public class FactoryNTest {
    @Factory
    public Object[] make() {
        return new Object[] {new Made(1), new Made(-1)};
    }
}
