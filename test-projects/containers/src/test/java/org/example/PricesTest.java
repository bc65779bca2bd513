package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(Prices.Setup.class)
class PricesTest {
    @Autowired private Prices prices;

    @Test
    void dependsOnTheRate() {
        assertEquals(8, prices.of("book"));
    }

    @Test
    void longerIsDearer() {
        assertEquals(10, prices.of("table"));
    }
}
