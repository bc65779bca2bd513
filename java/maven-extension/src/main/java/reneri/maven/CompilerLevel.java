// Raises a Java level that the running JDK does not compile, and adds a note about it.
package reneri.maven;

/**
 * Old projects ask for `-source 1.5`. Javac 12 and later refuse level 6, javac 20 and later refuse 7
 * (JEP 182). The tests of such projects run on today's JDKs if everything is compiled for Java 8.
 */
final class CompilerLevel {
    private static final int RAISED = 8;

    private CompilerLevel() {}

    static void raise(Parameters parameters, boolean toolchain) {
        if (toolchain || parameters.get("executable") != null && parameters.isTrue("fork")) {
            return; // A different JDK compiles, which was chosen for its level.
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
        // Raises all of them, because javac also refuses a target below the source.
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

    /** Returns 5 for `1.5` and `5`, and 0 for a text that is no number. */
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
