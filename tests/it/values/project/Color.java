package values;

/** An enum. */
public enum Color {
    RED,
    GREEN
}
