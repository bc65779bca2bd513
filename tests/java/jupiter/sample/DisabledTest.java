package sample;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

@Disabled("for reasons")
class DisabledTest {
    @Test
    void never() {}
}
