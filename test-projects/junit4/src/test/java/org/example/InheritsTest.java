package org.example;


public class InheritsTest extends Checks<Integer> {
    @Override
    Integer one() {
        return 1;
    }
}
