package org.example;

import static org.junit.Assert.assertNotNull;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class ModesTest {
    private final String mode;

    public ModesTest(String mode) {
        this.mode = mode;
    }

    @Parameterized.Parameters
    public static Iterable<Object[]> modes() {
        List<Object[]> modes = new ArrayList<>();
        modes.add(new Object[] {"default"});
        for (String name : Modes.names()) {
            modes.add(new Object[] {name});
        }
        return modes;
    }

    @Test
    public void hasAName() {
        assertNotNull(mode);
    }
}
