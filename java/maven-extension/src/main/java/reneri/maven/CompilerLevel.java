// A Java level that the running JDK no longer compiles: raised to the lowest sensible one, and a note about it.
package reneri.maven;

/**
 * Projects of some age ask for `-source 1.5`; javac 12 and newer refuse 6, javac 20 and newer refuse 7 (JEP 182). Tests of such
 * projects run on today's JDKs all the same, once everything is compiled for Java 8.
 */
final class CompilerLevel {
    private static final int RAISED = 8;

    private CompilerLevel() {}

    static void raise(Parameters parameters, boolean toolchain) {
        if (toolchain || parameters.get("executable") != null && parameters.isTrue("fork")) {
            return; // Another JDK compiles; it was chosen for its level.
        }
        int lowest = lowest(number(System.getProperty("java.specification.version")));
        String refused = null;
        for (String name : new String[] {"source", "target", "release", "testSource", "testTarget", "testRelease"}) {
            int level = number(parameters.text(name));
            if (level != 0 && level < lowest) {
                refused = parameters.text(name);
            }
        }
        if (refused == null) {
            return;
        }
        // All of them: a target below the source is refused as well.
        for (String name : new String[] {"source", "target", "release", "testSource", "testTarget", "testRelease"}) {
            int level = number(parameters.text(name));
            if (level != 0 && level < RAISED) {
                parameters.set(name, name.toLowerCase().endsWith("release") ? "8" : "1.8");
            }
        }
        Handover.note("The project is written for Java " + refused + ", which JDK " + System.getProperty("java.specification.version")
            + " does not compile: it was compiled for Java 8.");
    }

    private static int lowest(int jdk) {
        return jdk >= 20 ? 8 : jdk >= 12 ? 7 : jdk >= 9 ? 6 : 1;
    }

    /** `1.5` and `5` are 5; what is not a number is 0. */
    static int number(String level) {
        if (level == null) {
            return 0;
        }
        String text = level.trim();
        try {
            return Integer.parseInt(text.startsWith("1.") ? text.substring(2) : text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
