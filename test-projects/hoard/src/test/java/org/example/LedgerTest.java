package org.example;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final byte[] CACHE = new byte[12 << 20];
    /** Nobody ends its thread. */
    private static final ExecutorService POOL = Executors.newSingleThreadExecutor();
    private static final ThreadLocal<Ledger> CURRENT = new ThreadLocal<>();

    @Test
    void callsInAnotherThread() throws Exception {
        POOL.submit(() -> new Ledger().first()).get();
    }

    @Test
    void callsInItsOwnThread() {
        CURRENT.set(new Ledger());
        CACHE[0] += CURRENT.get().second();
        CACHE[0] += CURRENT.get().third();
    }
}
