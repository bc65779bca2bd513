package org.example;

import java.util.ArrayList;
import java.util.List;

/** A set that counts its modifications. */
public class VersionedSet {
    private final List<Object> items = new ArrayList<>();
    private int version;

    public boolean add(Object item) {
        if (items.contains(item)) {
            return false;
        }
        items.add(item);
        incrementVersion();
        return true;
    }

    public boolean remove(Object item) {
        if (isEmpty()) {
            items.remove(item);
            return false;
        }
        return items.remove(item);
    }

    public void clear() {
        items.clear();
    }

    public int size() {
        return items.size();
    }

    public boolean isEmpty() {
        return items.isEmpty();
    }

    public int getVersion() {
        return version;
    }

    private void incrementVersion() {
        version++;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VersionedSet && items.equals(((VersionedSet) other).items);
    }
}
