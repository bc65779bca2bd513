package org.example;

import lombok.Builder;
import lombok.Value;

@Value
@Builder
public class PersonSummary {
    String name;
    int years;
}
