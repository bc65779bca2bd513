// Finds the test classes that a plugin rewrites between their compilation and surefire.
package reneri.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/**
 * If such a plugin is going to run, the test classes of an earlier build are deleted first. Otherwise
 * the compiler would keep them, the plugin would keep what it has rewritten before, and no change
 * would be seen.
 */
final class Rewritten {
    /**
     * Checksums of the class files after compilation, by path, for modules in which a plugin may
     * rewrite them.
     */
    private static final Map<String, Map<String, Long>> COMPILED = new ConcurrentHashMap<>();

    private Rewritten() {}

    /** Called before the first mojo of the module. */
    static void begin(MavenProject project, List<MojoExecution> plan) {
        List<String> rewriters = new ArrayList<>();
        boolean compiled = false;
        for (MojoExecution execution : plan) {
            boolean ofMaven = "org.apache.maven.plugins".equals(execution.getGroupId());
            if (ofMaven && "maven-surefire-plugin".equals(execution.getArtifactId())) {
                break;
            }
            if (ofMaven && "testCompile".equals(execution.getGoal())) {
                compiled = true;
            } else if (compiled && (!ofMaven || "maven-antrun-plugin".equals(execution.getArtifactId()))) {
                rewriters.add(execution.getArtifactId() + ":" + execution.getGoal());
            }
        }
        if (rewriters.isEmpty()) {
            return;
        }
        File folder = folder(project);
        COMPILED.put(key(project), new HashMap<>());
        Handover.put("rewriters", rewriters);
        if (!folder.equals(new File(project.getBuild().getOutputDirectory()))) {
            for (Path file : classFiles(folder)) {
                file.toFile().delete();
            }
        }
    }

    /** Called after the compilation of the tests. */
    static void compiled(MavenProject project) {
        if (COMPILED.containsKey(key(project))) {
            COMPILED.put(key(project), checksums(folder(project)));
        }
    }

    /** Called before surefire runs them. */
    static void compare(MavenProject project) {
        Map<String, Long> before = COMPILED.remove(key(project));
        if (before == null) {
            return;
        }
        TreeSet<String> changed = new TreeSet<>();
        for (Map.Entry<String, Long> now : checksums(folder(project)).entrySet()) {
            Long then = before.get(now.getKey());
            if (then != null && !then.equals(now.getValue())) {
                String path = now.getKey();
                changed.add(path.substring(0, path.length() - ".class".length()).replace(File.separatorChar, '.'));
            }
        }
        Handover.put("rewrittenTestClasses", changed);
    }

    private static String key(MavenProject project) {
        return project.getGroupId() + ":" + project.getArtifactId();
    }

    private static File folder(MavenProject project) {
        return new File(project.getBuild().getTestOutputDirectory());
    }

    private static List<Path> classFiles(File folder) {
        if (!folder.isDirectory()) {
            return new ArrayList<>();
        }
        try (Stream<Path> files = Files.walk(folder.toPath())) {
            return files.filter(file -> file.toString().endsWith(".class") && Files.isRegularFile(file)).collect(Collectors.toList());
        } catch (IOException e) {
            return new ArrayList<>();
        }
    }

    private static Map<String, Long> checksums(File folder) {
        Map<String, Long> checksums = new HashMap<>();
        for (Path file : classFiles(folder)) {
            try {
                CRC32 checksum = new CRC32();
                checksum.update(Files.readAllBytes(file));
                checksums.put(folder.toPath().relativize(file).toString(), checksum.getValue());
            } catch (IOException e) {
                // It has been deleted in the meantime.
            }
        }
        return checksums;
    }
}
