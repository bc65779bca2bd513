package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Paths;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ClassPathTest {
    public static void main(String[] arguments) {
        System.exit(7);
    }

    @Test
    void isScanned() throws Exception {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        assertTrue(Arrays.stream(path).anyMatch(element -> new File(element, "org/example/ClassPathTest.class").isFile()));
        File root = Paths.get(ClassPathTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toFile();
        assertTrue(new File(root, "org/example").list().length > 5);
    }

    @Test
    void isGivenToAnotherJvm() throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        Process process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "org.example.ClassPathTest").start();
        assertEquals(7, process.waitFor());
    }
}
