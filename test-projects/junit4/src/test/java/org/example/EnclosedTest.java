package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class EnclosedTest {
    public static class Inner {
        @Test
        public void enclosed() {
            assertEquals(12 + 1, Kinds.enclosed(1));
        }
    }
}
