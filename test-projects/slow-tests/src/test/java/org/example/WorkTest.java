package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class WorkTest {
    private final Work work = new Work();

    @Test
    void totals() {
        work.total(1, 2);
    }

    @Test
    void totalsMore() {
        work.total(3, 4);
    }

    @Test
    void labels() {
        String label = work.label(1);
    }

    @Test
    void runs() {
        assertEquals(1, work.run(5));
    }

    @Test
    void runsTwice() {
        work.run(5);
        assertEquals(2, work.run(6));
    }

    @Test
    void isDone() {
        boolean done = work.isDone(1);
    }

    @Test
    void slowlyTotals() {
        work();
        assertEquals(7, work.total(3, 4));
        int hidden = work.hidden(4);
    }

    @Test
    void slowlyLabels() throws IOException {
        nthRun("labels");
        work();
        String label = work.label(2);
    }

    @Test
    void slowlyFailsTheSecondTime() throws IOException {
        int run = nthRun("fails");
        work();
        boolean done = work.isDone(2);
        assertNotEquals(2, run);
    }

    /** A second of work, however busy the machine is. */
    private static void work() {
        long second = 1_000_000_000;
        long until = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + second;
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < until) {}
    }

    /** Counts in the folder that the environment names; 0 where it names none. */
    private static int nthRun(String name) throws IOException {
        String folder = System.getenv("SLOW_TESTS_RUNS");
        if (folder == null) {
            return 0;
        }
        Path file = Paths.get(folder, name);
        Files.write(file, Collections.singleton("run"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return Files.readAllLines(file).size();
    }
}
