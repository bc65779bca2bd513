// Passes the lines that reneri prints to Maven's log, and keeps its error for the end of the build.
package io.github.reneri.maven;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.maven.plugin.logging.Log;

final class Said implements Consumer<String> {
    private static final Pattern COLOR = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final Pattern REPORT = Pattern.compile("(.*: )(.*report\\.md)");

    private final Log log;
    private final Path folder;
    private final StringBuilder error = new StringBuilder();
    private Path report;

    /** reneri runs in `folder`, and the paths that it prints are relative to it. */
    Said(Log log, Path folder) {
        this.log = log;
        this.folder = folder;
        report = folder.resolve("target/reneri/report.md");
    }

    @Override
    public void accept(String line) {
        String plain = COLOR.matcher(line).replaceAll("");
        Matcher names = REPORT.matcher(plain);
        if (names.matches()) {
            // The user may be in a different folder.
            report = folder.resolve(names.group(2));
            plain = names.group(1) + report;
        }
        // With --quiet, reneri prints only warnings and errors.
        boolean isWarning = !log.isInfoEnabled() || plain.startsWith("warning: ");
        if (plain.startsWith("::")) {
            annotate(plain);
        } else if (error.length() > 0 || plain.startsWith("error: ")) {
            error.append(error.length() > 0 ? "\n" + plain : plain.substring("error: ".length()));
        } else if (isWarning) {
            log.warn(plain.startsWith("warning: ") ? plain.substring("warning: ".length()) : plain);
        } else {
            log.info(names.matches() ? plain : line);
        }
    }

    /**
     * GitHub reads such a line only without a prefix, and Maven 4 puts `[INFO] [stdout]` before
     * everything on `System.out`.
     */
    private static void annotate(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out));
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    /** Returns the last output if it is an error, or else an empty text. */
    String error() {
        return error.toString();
    }

    /** Returns the report's path as printed, or the default path if reneri was quiet. */
    Path report() {
        return report;
    }
}
