package reneri.driver;

import java.util.HashSet;
import java.util.Set;

/**
 * Made within the {@link Surroundings} of the run. Between an engine and the {@link Listener} of a run: starts each test before it is finished, is silent once the run is stopped, and keeps
 * what the listener throws, which engines would swallow, until the engine has returned.
 */
final class Progress {
    private final Listener listener;
    private final boolean stopAtFirstFailure;
    private final Set<String> started = new HashSet<>();
    private final Set<String> finished = new HashSet<>();
    private final Set<String> skipped = new HashSet<>();
    private int surroundings = Surroundings.state();
    private Throwable thrown;
    private boolean stopped;

    Progress(Listener listener, boolean stopAtFirstFailure) {
        this.listener = listener;
        this.stopAtFirstFailure = stopAtFirstFailure;
    }

    boolean stopped() {
        return stopped;
    }

    boolean isFinished(String id) {
        return finished.contains(id);
    }

    void unexpected(String id, String name, String className) {
        if (stopped) {
            return;
        }
        try {
            listener.unexpected(id, name, className);
        } catch (Throwable e) {
            stopWith(e);
        }
    }

    /** False if the test must not run. */
    boolean start(String id) {
        if (stopped) {
            return false;
        }
        try {
            started.add(id);
            stopped = !listener.started(id);
        } catch (Throwable e) {
            stopWith(e);
        }
        return !stopped;
    }

    void finish(String id, int outcome, Throwable cause) {
        // The tear-down of a class does not concern the tests that did not run.
        if (stopped || skipped.contains(id) || !started.contains(id) && !start(id)) {
            return;
        }
        try {
            finished.add(id);
            if (outcome == Listener.SKIPPED) {
                skipped.add(id);
            }
            listener.finished(id, outcome, cause);
        } catch (Throwable e) {
            stopWith(e);
        }
        if (outcome == Listener.FAILED && stopAtFirstFailure) {
            stopped = true;
        }
    }

    void left() {
        if (stopped) {
            return;
        }
        try {
            int before = surroundings;
            surroundings = Surroundings.state();
            listener.left(surroundings != before);
        } catch (Throwable e) {
            stopWith(e);
        }
    }

    private void stopWith(Throwable e) {
        thrown = e;
        stopped = true;
    }

    /** Throws what the listener threw. */
    void rethrow() throws Exception {
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw (Exception) thrown;
        }
    }
}
