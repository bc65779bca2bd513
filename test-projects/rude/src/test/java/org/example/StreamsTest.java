package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StreamsTest {
    @Test
    void readsStandardInput() throws Exception {
        assertEquals(-1, System.in.read());
        assertEquals(-1, new FileInputStream(FileDescriptor.in).read());
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }

    @Test
    void printsMegabytes() {
        char[] line = new char[1 << 10];
        Arrays.fill(line, 'x');
        PrintStream real = new PrintStream(new FileOutputStream(FileDescriptor.out));
        for (int i = 0; i < 1 << 11; i++) {
            System.out.println(line);
            System.err.println(new String(line));
        }
        real.println(line);
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }

    @Test
    void closesStandardOutput() throws Exception {
        System.out.close();
        System.err.close();
        new FileOutputStream(FileDescriptor.out).close();
        new FileOutputStream(FileDescriptor.err).close();
        assertEquals(Reached.calls() + 4, Reached.byAll());
    }
}
