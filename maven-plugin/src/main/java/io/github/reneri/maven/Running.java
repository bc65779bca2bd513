// Runs reneri, passes each line on at once, and never leaves it running.
package io.github.reneri.maven;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

final class Running {
    /** Seconds that reneri gets to end, with the Maven and the JVMs that it has started. */
    private static final int GRACE = 10;

    private Running() {
    }

    /** Returns the exit code. `builder` must not send errors elsewhere. */
    static int toItsEnd(ProcessBuilder builder, Consumer<String> said) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        // Ctrl-C ends the build by running the hooks; it interrupts no thread.
        Thread hook = new Thread(() -> end(process), "reneri-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            process.getOutputStream().close();
            Thread reader = new Thread(() -> read(process, said), "reneri-output");
            reader.setDaemon(true);
            reader.start();
            int code = process.waitFor();
            reader.join(TimeUnit.SECONDS.toMillis(GRACE));
            return code;
        } finally {
            end(process);
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException alreadyEnding) {
                // The hook is already running, and has nothing to do.
            }
        }
    }

    private static void read(Process process, Consumer<String> said) {
        try (BufferedReader reader =
                 new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                said.accept(line);
            }
        } catch (IOException ended) {
            // The exit code tells the rest.
        }
    }

    private static void end(Process process) {
        if (!process.isAlive()) {
            return;
        }
        // SIGTERM, on which reneri ends the processes that it has started.
        process.destroy();
        try {
            if (!process.waitFor(GRACE, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException impatient) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
