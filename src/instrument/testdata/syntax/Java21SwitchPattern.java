class Java21SwitchPattern {
    sealed interface Shape permits Circle, Square {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    enum Color { RED, BLUE }

    int area(Shape shape) {
        return switch (shape) {
            case Circle(int radius) when radius > 10 && radius < 20 -> radius;
            case Circle circle -> circle.radius() * 3;
            case Java21SwitchPattern.Square(var side) -> side * side;
        };
    }

    int kind(Object given) {
        switch (given) {
            case null -> {
                return 0;
            }
            case Color.RED -> {
                return 1;
            }
            case String text when text.isEmpty() -> {
                return 2;
            }
            case int[] numbers -> {
                return numbers.length;
            }
            default -> {
                return 3;
            }
        }
    }

    int orNull(String given) {
        return switch (given) {
            case "a", "b" -> 1;
            case null, default -> 2;
        };
    }
}
