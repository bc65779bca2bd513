package reneri.rt;

import java.util.Random;

/**
 * Lets identity hash codes, and the order of what is kept by them, be others in each JVM. HotSpot gives each thread a generator of them, seeded by one
 * that begins with the same number in every JVM: where a clean start is a new JVM they would be the same each time, and look like values of the
 * program. In a JVM that goes on, the generators go on as well.
 */
final class Identities {
    private static final int MOST_HASHES = 1024;
    private static final int MOST_THREADS = 64;

    private Identities() {}

    /** Moves on the generator of the current thread, and that of the seeds for threads to come, each by a random number of steps. */
    static void stir() throws InterruptedException {
        Random random = new Random();
        for (int left = random.nextInt(MOST_HASHES); left > 0; left--) {
            System.identityHashCode(new Object());
        }
        for (int left = random.nextInt(MOST_THREADS); left > 0; left--) {
            // With a name: those without are numbered, and tests may see their numbers.
            Thread thread = new Thread("reneri");
            thread.start();
            thread.join();
        }
    }
}
