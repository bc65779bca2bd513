package reneri.driver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Gives each test a unique name for people. */
final class Names {
    private final Map<String, String> nameOfId = new HashMap<>();
    private final Set<String> taken = new HashSet<>();

    /** The name of a test: {@code wanted}, or {@code wanted #2} and so on if another test has that name. */
    String unique(String id, String wanted) {
        String known = nameOfId.get(id);
        if (known != null) {
            return known;
        }
        String clean = oneLine(wanted);
        String name = clean;
        for (int n = 2; !taken.add(name); n++) {
            name = clean + " #" + n;
        }
        nameOfId.put(id, name);
        return name;
    }

    /**
     * Whether a test of this name comes instead of others, and fails with the reason: JUnit 4 reports a runner that cannot be made in this way, and
     * JUnit 3 a test class whose constructor fails.
     */
    static boolean isInstead(String displayName) {
        return displayName.startsWith("initializationError") || displayName.startsWith("warning(junit.framework.TestSuite");
    }

    /** Replaces control characters, which names of parameterised tests may contain. */
    private static String oneLine(String name) {
        StringBuilder line = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            line.append(Character.isISOControl(c) ? ' ' : c);
        }
        return line.toString();
    }
}
