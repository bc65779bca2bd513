package org.example;

/** What it makes with the help of Kinds is made once for all tests. */
public class Tables {
    private static final int ROWS = Kinds.initialiser(1);
    private static int columns;

    private Tables() {}

    public static int rows() {
        return ROWS;
    }

    public static int columns() {
        if (columns == 0) {
            columns = Kinds.lazy(1);
        }
        return columns;
    }
}
