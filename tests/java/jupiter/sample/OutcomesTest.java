package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class OutcomesTest {
    @Test
    void aPasses() {
        System.out.println("this is dropped");
    }

    @Test
    @Tag("slow")
    void bFails() {
        assertEquals(1, 2);
    }

    @Test
    @Disabled
    void cIsDisabled() {}

    @Test
    void dAssumes() {
        assumeTrue(false);
    }

    @RepeatedTest(2)
    void eRepeats() {}

    @AfterAll
    static void tearDown() {
        Witness.say("tear-down of OutcomesTest");
    }

    @Nested
    class Inside {
        @Test
        void isNested() {}

        @Nested
        class Deeper {
            @Test
            void isNestedTwice() {}
        }
    }
}
