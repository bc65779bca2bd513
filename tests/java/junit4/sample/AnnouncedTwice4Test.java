package sample;

import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;

/** Its runner announces each test twice, as JMockit's agent does. */
@RunWith(AnnouncedTwice4Test.Twice.class)
public class AnnouncedTwice4Test {
    @Test
    public void passes() {}

    /** The runner. */
    public static class Twice extends BlockJUnit4ClassRunner {
        public Twice(Class<?> testClass) throws InitializationError {
            super(testClass);
        }

        @Override
        protected void runChild(FrameworkMethod method, RunNotifier notifier) {
            Description description = describeChild(method);
            notifier.fireTestStarted(description);
            notifier.fireTestStarted(description);
            notifier.fireTestFinished(description);
        }
    }
}
