package org.example;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import org.junit.Test;

public class StoreTest {
    private final Store store = new Store();

    @Test
    public void savesBelowTarget() throws IOException {
        File file = new File("target/saved.txt");
        store.save(file);
        assertTrue(file.exists());
    }

    @Test
    public void marksTheProject() throws IOException {
        store.mark("mark.txt");
        assertTrue(new File("mark.txt").exists());
    }

    @Test
    public void listsTemporarily() throws IOException {
        File file = new File(System.getProperty("java.io.tmpdir"), "left-files-list.txt");
        store.list(file, "a");
        assertTrue(file.exists());
    }

    @Test
    public void removes() throws IOException {
        File file = new File("target/removed.txt");
        new FileWriter(file).close();
        store.remove(file);
        assertFalse(file.exists());
    }

    @Test
    public void starts() throws IOException {
        boolean isFirst = store.start(new File("target/lock"));
    }
}
