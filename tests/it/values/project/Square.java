package values;

/** A class without `equals`. */
public final class Square implements Shape {
    private final int side;

    public Square(int side) {
        this.side = side;
    }

    public int side() {
        return side;
    }
}
