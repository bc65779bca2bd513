package reneri.driver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** From the ids of tests and the names that suit people to names that are unique too. */
final class Names {
    private final Map<String, String> nameOfId = new HashMap<>();
    private final Set<String> taken = new HashSet<>();

    /** The name of this test: {@code wanted}, or, where another test has it, {@code wanted #2} and so on. */
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

    /** Names of parameterised tests can have anything in them. */
    private static String oneLine(String name) {
        StringBuilder line = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            line.append(Character.isISOControl(c) ? ' ' : c);
        }
        return line.toString();
    }
}
