package org.example;

public class InheritedTest extends Checks<Integer> {
    @Override
    Integer one() {
        return 1;
    }
}
