package values;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.TreeMap;

/** Classes that extend a container of the platform. */
public class Inherited {
    private Inherited() {}

    /** By name. */
    public static class Registry extends HashMap<String, Integer> {
        private static final long serialVersionUID = 1;
    }

    /** In the order of their addition. */
    public static class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1;
    }

    /** Each once. */
    public static class Tags extends LinkedHashSet<String> {
        private static final long serialVersionUID = 1;
    }

    /** Sorted, which only methods show. */
    public static class Sorted extends TreeMap<String, Integer> {
        private static final long serialVersionUID = 1;
    }
}
