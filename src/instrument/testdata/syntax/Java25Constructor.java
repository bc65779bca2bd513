class Java25Constructor extends Thread {
    private final int size;

    Java25Constructor(int size) {
        if (size < 0) {
            throw new IllegalArgumentException();
        }
        this.size = size * 2;
        super("name" + size);
        start();
    }

    Java25Constructor(String text) {
        int length = text.length();
        this(length);
    }

    int size() {
        return size;
    }
}
