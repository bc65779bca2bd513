interface Java09Small {
    private int twice(int n) {
        return 2 * n;
    }

    private static <T> T same(T value) {
        return value;
    }

    default int use(java.io.StringReader first) throws java.io.IOException {
        try (first; var second = new java.io.StringReader("a")) {
            return twice(same(first.read())) + second.read();
        }
    }

    static Comparable<String> anonymous() {
        return new Comparable<>() {
            @Override
            public int compareTo(String other) {
                return other.length();
            }
        };
    }
}
