package sample;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SetUpFailsTest {
    @BeforeAll
    static void setUp() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    void never() {}

    @Nested
    class Inside {
        @Test
        void neither() {}
    }
}
