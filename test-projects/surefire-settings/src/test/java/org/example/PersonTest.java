package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import lombok.AllArgsConstructor;
import lombok.Data;
import org.junit.jupiter.api.Test;

class PersonTest {
    /** Code generated for a test. */
    @Data
    @AllArgsConstructor
    private static class Expectation {
        private String name;
        private int years;
    }

    @Test
    void summaries() {
        Expectation expected = new Expectation("Ada", 36);
        PersonSummary summary = Summaries.INSTANCE.summary(new Person("Ada", 36));
        assertEquals(expected, new Expectation(summary.getName(), summary.getYears()));
    }
}
