package org.example;

import org.junit.Test;

public class CheckedTest {
    @Test
    public void isChecked() {
        new Checked().half(8);
    }
}
