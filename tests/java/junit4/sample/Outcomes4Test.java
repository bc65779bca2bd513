package sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class Outcomes4Test {
    @Test
    public void aPasses() {
        System.out.println("this is dropped");
    }

    @Test
    public void bFails() {
        assertEquals(1, 2);
    }

    @Test
    @Ignore
    public void cIsIgnored() {}

    @Test
    public void dAssumes() {
        assumeTrue(false);
    }

    @Test(expected = IllegalStateException.class)
    public void eThrows() {
        throw new IllegalStateException();
    }

    public void isNoTest() {}
}
