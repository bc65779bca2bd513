package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.Verifier;

public class RuleOfClassTest {
    private static int seen = 9;

    @ClassRule
    public static final Verifier VERIFIER = new Verifier() {
        @Override
        protected void verify() {
            assertEquals(9, seen);
        }
    };

    @Test
    public void enters() {
        seen = Kinds.classRule(1);
    }

    @Test
    public void isBeside() {}
}
