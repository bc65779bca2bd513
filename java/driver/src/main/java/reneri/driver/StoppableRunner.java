package reneri.driver;

import java.util.function.BooleanSupplier;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/** A runner of the Vintage engine that can be stopped; Vintage itself cannot stop runners before version 6. */
public final class StoppableRunner extends Runner {
    private final Runner runner;
    private final BooleanSupplier stopped;

    public StoppableRunner(Runner runner, BooleanSupplier stopped) {
        this.runner = runner;
        this.stopped = stopped;
    }

    @Override
    public Description getDescription() {
        return runner.getDescription();
    }

    @Override
    public void run(RunNotifier notifier) {
        if (stopped.getAsBoolean()) {
            return;
        }
        // Added last: Vintage's listener comes first, and its report to the launcher may stop the run.
        notifier.addListener(new RunListener() {
            @Override
            public void testFinished(Description description) {
                if (stopped.getAsBoolean()) {
                    notifier.pleaseStop();
                }
            }
        });
        runner.run(notifier);
    }
}
