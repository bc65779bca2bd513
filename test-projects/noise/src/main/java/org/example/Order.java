package org.example;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Holds keys that have no hash code of their own: their order is another one each time. */
public class Order extends Counted {
    private final Set<Key> set = new HashSet<>();
    private final Map<Key, String> map = new IdentityHashMap<>();
    private String inSet;
    private String inMap;

    private static class Key {
        private final char name;

        Key(char name) {
            this.name = name;
        }
    }

    public Order() {
        for (char name = 'a'; name <= 'z'; name++) {
            set.add(new Key(name));
            map.put(new Key(name), "");
        }
        read();
    }

    private void read() {
        inSet = names(set);
        inMap = names(map.keySet());
    }

    private static String names(Set<Key> keys) {
        StringBuilder names = new StringBuilder();
        for (Key key : keys) {
            names.append(key.name);
        }
        return names.toString();
    }

    public void shuffle() {
        Set<Key> fresh = new HashSet<>();
        for (Key key : set) {
            fresh.add(new Key(key.name));
        }
        set.clear();
        set.addAll(fresh);
        read();
    }
}
