package org.example;

import java.util.concurrent.Executor;

/** Has a thread pool: how many jobs that has done by now depends on its threads. */
public class Crew {
    private static class Pool implements Executor {
        private int jobs;

        @Override
        public void execute(Runnable job) {
            job.run();
            jobs++;
        }
    }

    private final Pool pool = new Pool();

    public void work() {
        pool.execute(() -> {});
    }
}
