package org.example;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** Works in a temporary folder. */
public class Folder extends Counted {
    private File folder = fresh();
    private String path = folder.getPath();

    private static File fresh() {
        try {
            File folder = Files.createTempDirectory("noise").toFile();
            folder.delete();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void change() {
        folder = fresh();
        path = folder.getPath();
    }
}
