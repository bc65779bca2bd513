package org.example;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import org.junit.Test;

public class PlatformTest {
    @Test
    public void startsWhereItIsSupported() {
        Platform platform = new Platform();
        assumeTrue(platform.supports("links"));
        assertEquals(10, platform.start("links"));
    }
}
