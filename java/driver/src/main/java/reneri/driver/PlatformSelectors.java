package reneri.driver;

import java.io.UnsupportedEncodingException;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;

/**
 * Selects tests by their unique ids. Jupiter compares each invocation that it makes with each invocation that is selected by id, which takes hours
 * for tens of thousands. From version 1.9 of the platform on, invocations can be selected by number, which Jupiter looks up.
 */
final class PlatformSelectors {
    /** Groups: template, class, method, parameters, number. Matches methods of top-level classes only. */
    private static final Pattern INVOCATION = Pattern.compile(
            "(\\[engine:junit-jupiter]/\\[class:([^\\[\\]]+)]/\\[test-(?:template|factory):([^\\[\\](]+)\\(([^\\[\\]()]*)\\)])"
                    + "/\\[(?:test-template-invocation|dynamic-test):#(\\d+)]");

    private PlatformSelectors() {}

    static List<DiscoverySelector> of(Set<String> ids) throws ReflectiveOperationException {
        Method byNumber = byNumber();
        List<DiscoverySelector> selectors = new ArrayList<>();
        // Each template takes the place of its first invocation.
        Map<String, List<Integer>> numbers = new LinkedHashMap<>();
        Map<String, Integer> places = new HashMap<>();
        for (String id : ids) {
            Matcher invocation = INVOCATION.matcher(id);
            if (byNumber != null && invocation.matches()) {
                List<Integer> known = numbers.computeIfAbsent(invocation.group(1), template -> {
                    // Replaced when all numbers are known.
                    places.put(template, selectors.size());
                    selectors.add(DiscoverySelectors.selectMethod(
                            decoded(invocation.group(2)), decoded(invocation.group(3)), decoded(invocation.group(4))));
                    return new ArrayList<>();
                });
                known.add(Integer.parseInt(invocation.group(5)) - 1);
            } else {
                selectors.add(DiscoverySelectors.selectUniqueId(id));
            }
        }
        for (Map.Entry<String, List<Integer>> template : numbers.entrySet()) {
            // A template that is selected as a whole runs all of its invocations.
            if (!ids.contains(template.getKey())) {
                int place = places.get(template.getKey());
                int[] indices = template.getValue().stream().mapToInt(Integer::intValue).toArray();
                selectors.set(place, (DiscoverySelector) byNumber.invoke(null, selectors.get(place), indices));
            }
        }
        return selectors;
    }

    /** Decodes brackets and other characters of the id's own syntax, such as {@code %5B} in array parameters. */
    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part, "UTF-8");
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The method {@code selectIteration}; null before version 1.9. */
    private static Method byNumber() {
        try {
            return DiscoverySelectors.class.getMethod("selectIteration", DiscoverySelector.class, int[].class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
