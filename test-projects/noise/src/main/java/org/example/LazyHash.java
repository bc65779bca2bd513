package org.example;

/** Computes its hash code once, when it is first asked for, and keeps it as String does. */
public class LazyHash extends Counted {
    private final String text = new String("lazy");
    private int hash;

    @Override
    public int hashCode() {
        int result = hash;
        if (result == 0) {
            result = 31 + text.hashCode();
            hash = result;
        }
        return result;
    }

    public void warm() {
        hashCode();
    }
}
