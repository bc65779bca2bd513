// Finds reneri on this machine, and makes sure that it is reneri.
package io.github.reneri.maven;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.logging.Log;

final class Binary {
    private static final String HOW_TO_GET_IT =
        "Install it with `cargo install --path .` in a copy of reneri's sources (it needs Rust 1.95), "
            + "or say where it is: -Dreneri.binary=/path/to/reneri, or <binary> in the plugin's configuration.";

    private Binary() {
    }

    /** Returns the program that was named, or else the first one on the PATH. */
    static File find(File named) throws MojoExecutionException {
        if (named != null) {
            if (!named.isFile()) {
                throw new MojoExecutionException("There is no file " + named + ", which reneri.binary names.\n" + HOW_TO_GET_IT);
            }
            return named;
        }
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "" : path).split(File.pathSeparator)) {
            for (String ending : endings()) {
                File file = new File(folder, "reneri" + ending);
                if (!folder.isEmpty() && file.isFile() && file.canExecute()) {
                    return file.getAbsoluteFile();
                }
            }
        }
        throw new MojoExecutionException("reneri is not on this machine: there is no `reneri` in any folder of PATH.\n" + HOW_TO_GET_IT);
    }

    private static String[] endings() {
        boolean isWindows = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows");
        String endings = System.getenv("PATHEXT");
        return isWindows ? (endings == null ? ".exe" : endings).split(";") : new String[] {""};
    }

    /**
     * Asks for its version. Warns if it differs from the plugin's, and fails if the answer is not
     * reneri's.
     */
    static void check(File binary, String expected, Log log) throws MojoExecutionException, InterruptedException {
        String said;
        try {
            Process process = new ProcessBuilder(binary.getPath(), "--version").redirectErrorStream(true).start();
            process.getOutputStream().close();
            try (BufferedReader reader =
                     new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                said = String.valueOf(reader.readLine());
            }
            process.waitFor();
        } catch (IOException error) {
            throw new MojoExecutionException(binary + " cannot be started: " + error.getMessage() + "\n" + HOW_TO_GET_IT, error);
        }
        if (!said.startsWith("reneri ")) {
            throw new MojoExecutionException(binary + " is not reneri: to `--version` it answers `" + said + "`.\n" + HOW_TO_GET_IT);
        }
        String version = said.substring("reneri ".length()).trim();
        if (!version.equals(expected)) {
            log.warn(binary + " has version " + version + ", and the plugin " + expected
                + ": they are made for each other only where the versions are equal. Install the same version of both.");
        }
    }
}
