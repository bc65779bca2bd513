package org.example;

/** Has a record, which can only be replaced. */
public class Pen {
    public record Point(int x, int y) {}

    private Point at = new Point(1, 1);

    public void move() {
        at = new Point(at.x() + 1, at.y());
    }
}
