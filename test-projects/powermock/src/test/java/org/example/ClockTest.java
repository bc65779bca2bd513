package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.powermock.api.mockito.PowerMockito;
import org.powermock.core.classloader.annotations.PrepareForTest;
import org.powermock.modules.junit4.PowerMockRunner;

@RunWith(PowerMockRunner.class)
@PrepareForTest(Clock.class)
public class ClockTest {
    @Test
    public void mocked() {
        PowerMockito.mockStatic(Clock.class);
        PowerMockito.when(Clock.now()).thenReturn(41);
        assertEquals(42, new Clock().next());
    }

    @Test
    public void plain() {
        assertEquals(8, new Clock().twice(4));
        int value = new Clock().unchecked(4);
    }
}
