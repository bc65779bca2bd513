package sample;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestMethodOrder(MethodOrderer.MethodName.class)
class ParametersTest {
    @ParameterizedTest
    @ValueSource(ints = {1, -1, 2})
    void isPositive(int value) {
        Witness.say("value " + value);
        assertTrue(value > 0);
    }

    @TestFactory
    Stream<DynamicNode> makes() {
        return Stream.of(
                DynamicTest.dynamicTest("one", () -> Witness.say("dynamic one")),
                DynamicContainer.dynamicContainer("more", Arrays.asList(
                        DynamicTest.dynamicTest("two", () -> Witness.say("dynamic two")),
                        DynamicTest.dynamicTest("three", () -> Witness.say("dynamic three")))));
    }

    @ParameterizedTest
    @MethodSource("values")
    void neverStarts(String[] values, java.util.List<String> list) {}

    static Stream<String> values() {
        throw new IllegalStateException("no parameters");
    }
}
