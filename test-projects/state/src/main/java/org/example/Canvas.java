package org.example;

/** Has a value of a sealed type. */
public class Canvas {
    public sealed interface Shape permits Circle, Square {}

    public record Circle(int radius) implements Shape {}

    public record Square(int side) implements Shape {}

    private Shape shape = new Circle(2);

    public void square() {
        shape = new Square(shape instanceof Circle circle ? circle.radius() : 1);
    }
}
