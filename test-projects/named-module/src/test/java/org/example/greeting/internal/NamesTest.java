package org.example.greeting.internal;

import org.junit.Test;

public class NamesTest {
    @Test
    public void namesAreCapitals() {
        Names.capital("grace");
    }
}
