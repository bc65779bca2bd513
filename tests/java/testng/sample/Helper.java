package sample;

/** Not a test class, and not instantiable. TestNG must not try. */
public class Helper {
    Helper(int needed) {}
}
