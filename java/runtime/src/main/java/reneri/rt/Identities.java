package reneri.rt;

import java.util.Random;

/**
 * Makes identity hash codes differ between JVMs. HotSpot has a generator of hash codes for each thread, and seeds it from a generator that begins with
 * the same number in every JVM. If each clean start is a new JVM, hash codes, and the order of collections that depend on them, would therefore be
 * the same each time and look like values of the program. In a JVM that is reused, the generators continue, so hash codes differ anyway.
 */
final class Identities {
    private static final int MOST_HASHES = 1024;
    private static final int MOST_THREADS = 64;

    private Identities() {}

    /** Advances the generator of the current thread, and the generator of seeds for new threads, by a random number of steps. */
    static void randomize() throws InterruptedException {
        Random random = new Random();
        for (int remaining = random.nextInt(MOST_HASHES); remaining > 0; remaining--) {
            System.identityHashCode(new Object());
        }
        for (int remaining = random.nextInt(MOST_THREADS); remaining > 0; remaining--) {
            // The thread has a name, because threads without one are numbered, and tests may see their numbers.
            Thread thread = new Thread("reneri");
            thread.start();
            thread.join();
        }
    }
}
