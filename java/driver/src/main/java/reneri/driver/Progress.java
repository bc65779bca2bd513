package reneri.driver;

import java.util.HashSet;
import java.util.Set;

/**
 * The connection between an engine and the {@link Listener} of a run. It starts each test before it finishes it, reports nothing once the run is
 * stopped, and keeps an exception of the listener, which engines would swallow, until the engine has returned. Must be made after the
 * {@link Surroundings} of the run.
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

    void addTest(String id, String name, String className) {
        if (stopped) {
            return;
        }
        try {
            listener.testFound(id, name, className);
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
        // A failing tear-down of the class does not fail tests that did not run.
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

    void endClass() {
        if (stopped) {
            return;
        }
        try {
            int stateBefore = surroundings;
            surroundings = Surroundings.state();
            listener.classEnded(surroundings != stateBefore);
        } catch (Throwable e) {
            stopWith(e);
        }
    }

    private void stopWith(Throwable e) {
        thrown = e;
        stopped = true;
    }

    /** Throws the exception of the listener, if there was one. */
    void rethrow() throws Exception {
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw (Exception) thrown;
        }
    }
}
