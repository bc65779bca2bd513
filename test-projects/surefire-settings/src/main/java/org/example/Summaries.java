package org.example;

import org.mapstruct.Mapper;
import org.mapstruct.Mapping;
import org.mapstruct.factory.Mappers;

@Mapper
public interface Summaries {
    Summaries INSTANCE = Mappers.getMapper(Summaries.class);

    @Mapping(source = "age", target = "years")
    PersonSummary summary(Person person);
}
