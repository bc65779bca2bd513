// Runs reneri, hands on each line at once, and never leaves it running.
package io.github.reneri.maven;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

final class Running {
    /** In seconds: Maven and JVMs that reneri has started get their time to end, too. */
    private static final int GRACE = 10;

    private Running() {
    }

    /** Returns the exit code. `builder` must not send errors elsewhere. */
    static int toItsEnd(ProcessBuilder builder, Consumer<String> said) throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).start();
        // Ctrl-C, or whoever ends the build: that runs the hooks and interrupts no thread.
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
                // Then the hook runs, and finds nothing left to do.
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
            // Its exit code says the rest.
        }
    }

    private static void end(Process process) {
        if (!process.isAlive()) {
            return;
        }
        // SIGTERM, on which reneri ends what it has started itself.
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
