// Records the goals that run before the tests, and which of them write into folders of sources or
// classes.
package reneri.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/** reneri decides by this whether it can compile an edited source without Maven. */
final class Mojos {
    /** Size and time of each file, by module, when the running mojo began. */
    private static final Map<String, Map<Path, String>> FILES = new ConcurrentHashMap<>();

    private Mojos() {}

    static void begin(MavenProject project, MojoExecution execution) {
        if (isWatched(execution)) {
            FILES.put(key(project), files(project));
        }
    }

    static void end(MavenProject project, MojoExecution execution) {
        Map<Path, String> before = FILES.remove(key(project));
        Map<String, Object> mojo = new LinkedHashMap<>();
        mojo.put("artifact", execution.getArtifactId());
        mojo.put("goal", execution.getGoal());
        mojo.put("writes", isWatched(execution) && !files(project).equals(before));
        Handover.add("mojos", mojo);
    }

    /** Whether the plugin should not write there; the three others are meant to. */
    private static boolean isWatched(MojoExecution execution) {
        String artifact = execution.getArtifactId();
        return !"maven-resources-plugin".equals(artifact) && !"maven-compiler-plugin".equals(artifact)
            && !"maven-surefire-plugin".equals(artifact);
    }

    private static String key(MavenProject project) {
        return project.getGroupId() + ":" + project.getArtifactId();
    }

    private static Map<Path, String> files(MavenProject project) {
        List<String> folders = new ArrayList<>(project.getCompileSourceRoots());
        folders.addAll(project.getTestCompileSourceRoots());
        folders.add(project.getBuild().getOutputDirectory());
        folders.add(project.getBuild().getTestOutputDirectory());
        Map<Path, String> files = new HashMap<>();
        for (String folder : folders) {
            if (!new File(folder).isDirectory()) {
                continue;
            }
            try (Stream<Path> paths = Files.walk(new File(folder).toPath())) {
                for (Path path : (Iterable<Path>) paths::iterator) {
                    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
                    if (attributes.isRegularFile()) {
                        files.put(path, attributes.size() + " " + attributes.lastModifiedTime().toMillis());
                    }
                }
            } catch (IOException | java.io.UncheckedIOException e) {
                // A file changed while the folder was listed, so it counts as changed.
                files.put(new File(folder).toPath(), String.valueOf(System.nanoTime()));
            }
        }
        return files;
    }
}
