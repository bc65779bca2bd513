// Finds out whether a module has code and whether it has tests, as sources or compiled.
package io.github.reneri.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.maven.project.MavenProject;

final class Sources {
    private static final Pattern SOURCE_OR_CLASS = Pattern.compile(".*\\.(java|kt|groovy|scala|class)");

    private Sources() {
    }

    static boolean hasCode(MavenProject module) {
        return isAny(module, "src/main", module.getCompileSourceRoots(), module.getBuild().getOutputDirectory());
    }

    static boolean hasTests(MavenProject module) {
        return isAny(module, "src/test", module.getTestCompileSourceRoots(), module.getBuild().getTestOutputDirectory());
    }

    /**
     * Plugins name folders of other languages and of generated sources only when they run; `usual`
     * has the former, `compiled` both.
     */
    private static boolean isAny(MavenProject module, String usual, List<String> roots, String compiled) {
        if ("pom".equals(module.getPackaging())) {
            return false;
        }
        List<Path> folders = new ArrayList<>();
        folders.add(module.getBasedir().toPath().resolve(usual));
        roots.forEach(root -> folders.add(Paths.get(root)));
        folders.add(Paths.get(compiled));
        return folders.stream().anyMatch(Sources::isAnyIn);
    }

    private static boolean isAnyIn(Path folder) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.anyMatch(file -> SOURCE_OR_CLASS.matcher(file.getFileName().toString()).matches());
        } catch (IOException | UncheckedIOException unreadable) {
            // reneri will report the problem.
            return true;
        }
    }
}
