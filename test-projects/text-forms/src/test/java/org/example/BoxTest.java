package org.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BoxTest
{
	@Test
	void puts()
	{
		Box box = new Box();
		box.put(3);
		assertTrue(box.sum() > -1);
	}
}
