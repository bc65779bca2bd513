package org.example;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class PlainTest {
    @Test
    public void rings() {
        Doorbell doorbell = new Doorbell();
        assertNotNull(doorbell);
        doorbell.ring();
        doorbell.isSilent();
    }
}
