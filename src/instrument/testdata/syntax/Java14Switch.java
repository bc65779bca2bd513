class Java14Switch {
    enum Day { MON, TUE, SUN }

    int expression(Day day, int n) {
        int length = switch (day) {
            case MON, TUE -> 3;
            case SUN -> {
                int twice = n * 2;
                yield twice;
            }
        };
        switch (n) {
            case 1, 2 -> length++;
            case 3 -> throw new IllegalStateException();
            default -> {
            }
        }
        return switch (n) {
            case 1:
                yield length;
            default:
                yield -length;
        };
    }
}
