package org.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;

/** Collections of the JDK that are made of another one: whether they are there at all is no matter of their contents. */
public class Tags {
    private final Collection<String> tags = new ArrayList<>(Arrays.asList("new", "old"));

    public Collection<String> distinct() {
        return new LinkedHashSet<>(tags);
    }

    public Collection<String> frozen() {
        return Collections.unmodifiableCollection(tags);
    }
}
