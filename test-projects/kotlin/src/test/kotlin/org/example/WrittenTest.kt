package org.example

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class WrittenTest {
    @Test
    fun `is written in words`() {
        assertEquals(3, Kinds.written(1))
    }

    @Test
    fun sees() {
        val value = Kinds.java(1)
    }
}
