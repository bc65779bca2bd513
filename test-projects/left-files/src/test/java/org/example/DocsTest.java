package org.example;

import java.io.File;
import java.io.IOException;
import org.junit.AfterClass;
import org.junit.Test;

/** Writes a page of the project's documentation, as some projects do. */
public class DocsTest {
    private static final StringBuilder NAMES = new StringBuilder();

    @Test
    public void a() {
        NAMES.append("a ");
    }

    @Test
    public void b() {
        NAMES.append("b ");
    }

    @AfterClass
    public static void write() throws IOException {
        new Store().list(new File("docs/list.md"), NAMES.toString().trim().split(" "));
    }
}
