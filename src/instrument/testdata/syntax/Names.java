class Names {
    int record, sealed, permits, when, with, module, open, var, to, exports;

    int yieldOf(int when) {
        this.record = when;
        sealed = record++;
        int module = sealed, to = module;
        grüße(to);
        return when > 0 ? this.<Integer>same(record) : permits(when);
    }

    int permits(int open) {
        return open;
    }

    void grüße(int n) {
    }

    <T> T same(T value) {
        return value;
    }
}
