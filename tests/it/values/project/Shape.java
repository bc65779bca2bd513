package values;

/** A sealed type. */
public sealed interface Shape permits Square, Circle {
}
