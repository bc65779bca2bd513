package values;

/** A record. */
public record Point(int x, int y) {
}
