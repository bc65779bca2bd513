package org.example;

import org.junit.jupiter.api.Test;

class OddTest {
    @Test void one() { new Odd().one(4); } @Test void two() { new Odd().two(4); } }
