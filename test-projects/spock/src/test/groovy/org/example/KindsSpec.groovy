package org.example

import spock.lang.Specification

class KindsSpec extends Specification {
    def "a feature has words"() {
        expect:
        Kinds.feature(1) == 3
    }

    def "the sum of #value"() {
        expect:
        Kinds.iterated(value) == value + 3

        where:
        value << [0, 5]
    }

    def "sees and does not look"() {
        when:
        def value = Kinds.java(1)

        then:
        noExceptionThrown()
    }
}
