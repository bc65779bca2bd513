package sample;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;

import java.io.PrintStream;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.Test;

/** Passes only if no state of its previous run is left. */
public class Dirty4Test {
    @Test
    public void leavesTraces() throws Exception {
        assertNull(System.getProperty("sample.dirty"));
        assertEquals("value", System.getProperty("sample.kept"));
        assertEquals(-1, System.in.read());
        assertSame(getClass().getClassLoader(), Thread.currentThread().getContextClassLoader());
        assertEquals(Locale.US, Locale.getDefault());
        assertEquals("UTC", TimeZone.getDefault().getID());
        System.setProperty("sample.dirty", "yes");
        System.clearProperty("sample.kept");
        System.setOut(new PrintStream(System.err));
        Locale.setDefault(Locale.ROOT);
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        Thread.currentThread().setContextClassLoader(null);
        Thread.currentThread().interrupt();
    }
}
