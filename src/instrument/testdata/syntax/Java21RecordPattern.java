class Java21RecordPattern {
    record Box<T>(T of, int n) {
        record Lid(int m) {}
    }

    int match(Object given) {
        if (given instanceof Box<?>(var of, int n) && n > 1) {
            return n + of.hashCode();
        }
        if (given instanceof Box.Lid(var m)) {
            return m;
        }
        if (given instanceof Java21RecordPattern.Box.Lid(final int m)) {
            return m;
        }
        if (given instanceof Box<?>(Box<?>(Box.Lid(var deep), var n), int outer)) {
            return deep + n + outer;
        }
        return given instanceof Box<?>(String text, int n) ? text.length() + n : 0;
    }
}
