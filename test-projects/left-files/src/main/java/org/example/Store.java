package org.example;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;

/** Writes files. */
public class Store {
    public void save(File file) throws IOException {
        try (Writer writer = new FileWriter(file)) {
            writer.write("saved");
        }
    }

    public void mark(String name) throws IOException {
        new FileWriter(name).close();
    }

    public void list(File file, String... names) throws IOException {
        try (Writer writer = new FileWriter(file)) {
            for (String name : names) {
                writer.write("* " + name + "\n");
            }
        }
    }

    public void remove(File file) {
        file.delete();
    }

    /** Gap: its test looks at nothing. What it returns depends on earlier runs. */
    public boolean start(File file) throws IOException {
        boolean isNew = file.createNewFile();
        return isNew && file.isFile();
    }
}
