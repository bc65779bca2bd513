package org.example;

import java.util.AbstractList;

/** A collection that notices when its size is asked for. */
public class Counting extends AbstractList<String> {
    private int asked;
    private int notes;

    public void note() {
        notes++;
    }

    public boolean wasAsked() {
        return asked > 0;
    }

    @Override
    public String get(int index) {
        asked++;
        return "text" + notes;
    }

    @Override
    public int size() {
        asked++;
        return 3;
    }
}
