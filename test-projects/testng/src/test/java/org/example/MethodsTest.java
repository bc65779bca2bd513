package org.example;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class MethodsTest {
    private int ready;

    @BeforeMethod
    public void setUp() {
        ready++;
    }

    @Test
    public void plain() {
        assertEquals(Kinds.plain(1), 2 + 1);
        assertEquals(ready > 0, true);
    }

    @DataProvider
    public Object[][] values() {
        return new Object[][] {{0, 3}, {5, 3 + 5}};
    }

    @Test(dataProvider = "values")
    public void provided(int value, int expected) {
        assertEquals(Kinds.provided(value), expected);
    }

    @Test(invocationCount = 2)
    public void repeated() {
        assertEquals(Kinds.repeated(1), 4 + 1);
    }

    @Test(expectedExceptions = ArithmeticException.class)
    public void expected() {
        // 0 when the method is the original one.
        int divisor = Kinds.expected(1) - 5 - 1;
        System.out.println(1 / divisor);
    }

    @Test(enabled = false)
    public void disabled() {
        throw new IllegalStateException();
    }

    @Test(groups = "slow")
    public void slow() {
        assertEquals(Kinds.excluded(1), 13 + 1);
    }

    @Test
    public void unchecked() {
        int value = Kinds.unchecked(1);
    }

    @AfterClass(alwaysRun = true)
    public void tearDown() {
        ready = 0;
    }
}
