package a;
import static org.junit.Assert.*;
class Forms {
    @org.junit.Test(expected = IllegalStateException.class) public void all() throws Exception {
        int[] x = { 1, 2 }; var y = switch (x[0]) { case 1 -> "a"; default -> { yield "b"; } };
        try (var in = open()) { assertEquals("a", y + in.read() * (x.length > 1 ? 2 : 3)); } catch (java.io.IOException | RuntimeException e) { fail(e.getMessage()); }
        Runnable r = () -> assertTrue(y instanceof String s && s.isEmpty()); r.run();
        String block = """
            text \""" "; more
            """;
        for (int i = 0; i < 3; i++) { x[i & 1] += i; } // \u0041 😀
    }
}
