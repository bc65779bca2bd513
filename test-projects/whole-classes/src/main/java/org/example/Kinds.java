package org.example;

import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/** One method for each place that catches a change of it. */
public class Kinds {
    private Kinds() {}

    public static int laterTest(int n) {
        return n + 8;
    }

    public static int afterAll(int n) {
        return n + 8;
    }

    public static int extension(int n) {
        return n + 8;
    }

    public static int outerOfNested(int n) {
        return n + 8;
    }

    /** Makes the invocations of a parameterised test, of which only those above 2 fail. */
    public static IntStream invocations() {
        return IntStream.of(0);
    }

    public static int suite(int n) {
        return n + 8;
    }

    public static int baseClass(int n) {
        return n + 8;
    }

    public static int classRule(int n) {
        return n + 8;
    }

    /** JUnit 3 makes a test for each method of a class, before the first of them runs. */
    public static String field() {
        return String.valueOf(9);
    }

    /** Without parameters, nothing would fail. */
    public static Object[] parameters() {
        return new Object[] {0};
    }

    /** Of two test classes, only the first one enters it, and only one looks at what it made. */
    public static int initialiser(int n) {
        return n + 8;
    }

    /** Likewise, and the other class looks. So one of the two methods is caught by the second class. */
    public static int lazy(int n) {
        return n + 8;
    }

    /** Its only check is that the stub is used. */
    public static void strictStubs(IntSupplier stub) {
        stub.getAsInt();
    }

    public static int mode() {
        return "fast".equals(System.getProperty("mode")) ? fastMode() : 1;
    }

    static int fastMode() {
        return 2;
    }

    /** Gap: two tests of one class enter it, and nothing looks at it. */
    public static int nobody(int n) {
        return n + 8;
    }

    /** Gap: a patch may say that the mode is slow, which is wrong in the second execution. */
    public static boolean isFast() {
        return "fast".equals(System.getProperty("mode"));
    }
}
