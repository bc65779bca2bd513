package org.example;

import static org.mockito.Mockito.when;

import java.util.function.IntSupplier;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.mockito.Mock;
import org.mockito.junit.MockitoJUnitRunner;

@RunWith(MockitoJUnitRunner.Strict.class)
public class StrictTest {
    @Mock
    IntSupplier stub;

    @Test
    public void enters() {
        when(stub.getAsInt()).thenReturn(1);
        Kinds.strictStubs(stub);
    }

    @Test
    public void isBeside() {}
}
