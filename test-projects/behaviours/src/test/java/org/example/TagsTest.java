package org.example;

import org.junit.Test;

public class TagsTest {
    @Test
    public void areGiven() {
        Tags tags = new Tags();
        tags.distinct();
        tags.frozen();
    }
}
