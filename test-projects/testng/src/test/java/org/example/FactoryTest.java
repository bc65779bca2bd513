package org.example;

import org.testng.annotations.Factory;

public class FactoryTest {
    @Factory
    public Object[] make() {
        return new Object[] {new Made(1), new Made(2)};
    }
}
