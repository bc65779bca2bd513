package values;

/** The other class of the sealed type. */
public final class Circle implements Shape {
}
