package org.example;

import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunNotifier;

@RunWith(RunnerTest.Single.class)
public class RunnerTest {
    /** Needs no annotation on methods. */
    public static class Single extends Runner {
        private final Description test;

        public Single(Class<?> testClass) {
            test = Description.createTestDescription(testClass, "runs");
        }

        @Override
        public Description getDescription() {
            Description all = Description.createSuiteDescription(test.getTestClass());
            all.addChild(test);
            return all;
        }

        @Override
        public void run(RunNotifier notifier) {
            notifier.fireTestStarted(test);
            if (Kinds.runner(1) != 13 + 1) {
                notifier.fireTestFailure(new Failure(test, new AssertionError("runner")));
            }
            notifier.fireTestFinished(test);
        }
    }
}
