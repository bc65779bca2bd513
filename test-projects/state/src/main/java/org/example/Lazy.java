package org.example;

import java.util.function.Supplier;

/** Is given something that must not be asked too early: a proxy that counts. */
public class Lazy {
    private int kept;

    public void keep(Supplier<String> supplier) {
        kept += supplier == null ? 2 : 1;
    }
}
