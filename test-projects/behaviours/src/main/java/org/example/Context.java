package org.example;

/** Takes long to set up, once: whichever test comes first pays for all. */
public class Context {
    private static final long CHECKSUM = build();
    private int uses;

    private static long build() {
        long sum = 0;
        long end = System.nanoTime() + 1_500_000_000L;
        while (System.nanoTime() < end) {
            sum = sum * 31 + end;
        }
        return sum == 0 ? 1 : 2;
    }

    public boolean isReady() {
        return CHECKSUM > 0;
    }

    public int use() {
        tick();
        return uses > 5 ? 1 : 2;
    }

    private void tick() {
        uses++;
    }
}
