package reneri.rt;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/** The class loader with the project, its tests and the test driver in it: one of its own, a fresh one being a clean start, or the JVM's. */
final class Session {
    private static ClassLoader loader;
    /** Of what stays from one clean start to the next. */
    private static ClassLoader parent;
    private static boolean isStirred;

    private Session() {
    }

    private static final class Loader extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Loader(URL[] urls, ClassLoader parent) {
            super(urls, parent);
        }
    }

    /** Names and values in turn. */
    static void setProperties(String[] pairs) {
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            System.setProperty(pairs[i], pairs[i + 1]);
        }
    }

    /**
     * Makes a new loader, after that of before was closed, with the driver of `engine` (see reneri.driver.Drivers). The parent is the platform's
     * loader, or one below it for the elements in `shared`, which is the same each time: nothing of the worker is visible but this package.
     * Without a class path the loader is the JVM's own.
     */
    static void open(String[] classPath, String[] shared, String[] engine) throws Throwable {
        if (!isStirred) {
            Identities.stir();
            isStirred = true;
        }
        ClassLoader application = ClassLoader.getSystemClassLoader();
        if (parent == null && classPath != null) {
            ClassLoader platform = application.getParent();
            parent = shared.length == 0 ? platform : new Loader(urls(shared), platform);
        }
        loader = classPath == null ? application : new Loader(urls(classPath), parent);
        call("open", new Class<?>[] {String[].class}, (Object) engine);
    }

    private static URL[] urls(String[] classPath) throws Exception {
        URL[] urls = new URL[classPath.length];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath[i]).toURI().toURL();
        }
        return urls;
    }

    /**
     * Forgets the loader. Threads that tests have left may wait for as long as the JVM lives: they hold on to it as their context no longer. The
     * result is these threads, of which the JVM has to take away the rest.
     */
    static Thread[] close() throws Exception {
        Thread[] left = {};
        if (loader != null) {
            ClassLoader application = ClassLoader.getSystemClassLoader();
            Thread.currentThread().setContextClassLoader(application);
            ClassLoader old = loader;
            loader = null;
            if (old instanceof Loader) {
                try {
                    left = threadsLeft();
                    for (Thread thread : left) {
                        thread.setContextClassLoader(application);
                    }
                } catch (SecurityException e) {
                    // A security manager of the tests: what their threads hold stays.
                }
                ((Loader) old).close();
            }
        }
        return left;
    }

    /** Whether a class stays when the loader is forgotten. */
    static boolean outlives(Class<?> type) {
        ClassLoader of = type.getClassLoader();
        for (ClassLoader stays = parent == null ? ClassLoader.getSystemClassLoader() : parent; stays != null; stays = stays.getParent()) {
            if (stays == of) {
                return true;
            }
        }
        return of == null || of == ClassLoader.getSystemClassLoader();
    }

    /** See reneri.driver.Driver: three strings a test. */
    static String[] discover(String[] classNames, String groups, String excludedGroups) throws Throwable {
        return (String[]) call("discover", new Class<?>[] {String[].class, String.class, String.class}, classNames, groups, excludedGroups);
    }

    static void run(String[] ids, boolean stopAtFirstFailure, boolean record) throws Throwable {
        Probe.record(record);
        try {
            call("run", new Class<?>[] {String[].class, boolean.class}, ids, stopAtFirstFailure);
        } finally {
            Probe.record(false);
        }
    }

    /** Threads of the tests that still live. */
    static Thread[] threadsLeft() {
        Thread[] threads = new Thread[1024];
        int count = Thread.currentThread().getThreadGroup().enumerate(threads);
        Thread[] left = new Thread[count];
        int size = 0;
        for (int i = 0; i < count; i++) {
            if (threads[i] != Thread.currentThread()) {
                left[size++] = threads[i];
            }
        }
        return Arrays.copyOf(left, size);
    }

    /** How many threads of the tests still live; or only those of them that run, as far as the JVM can tell. */
    static int countThreadsLeft(boolean running) {
        int left = 0;
        for (Thread thread : threadsLeft()) {
            if (!running || thread.getState() == Thread.State.RUNNABLE) {
                left++;
            }
        }
        return left;
    }

    /** Whether objects that live take more than so many percent of the memory that the heap may have. */
    static boolean isHeapFull(int percent) {
        if (percentOfHeap() <= percent) {
            return false;
        }
        System.gc();
        return percentOfHeap() > percent;
    }

    private static long percentOfHeap() {
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) * 100 / runtime.maxMemory();
    }

    private static Object call(String method, Class<?>[] types, Object... arguments) throws Throwable {
        Thread thread = Thread.currentThread();
        thread.setContextClassLoader(loader);
        try {
            return Class.forName("reneri.entry.Entry", true, loader).getMethod(method, types).invoke(null, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
