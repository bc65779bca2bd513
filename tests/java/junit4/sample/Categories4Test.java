package sample;

import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class Categories4Test {
    public interface Slow {}

    public interface VerySlow extends Slow {}

    public interface Network {}

    @Test
    @Category(Slow.class)
    public void aSlow() {}

    @Test
    @Category({VerySlow.class, Network.class})
    public void bSlowNetwork() {}

    @Test
    public void cPlain() {}
}
