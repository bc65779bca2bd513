package reneri.rt;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/**
 * The class loader of the project, its tests and the test driver. It is either an isolated one, which each clean start makes anew, or the JVM's own
 * class loader.
 */
final class Session {
    private static ClassLoader loader;
    /** The class loader of the shared class path elements, which stay from one clean start to the next. */
    private static ClassLoader parent;
    private static boolean isRandomized;

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

    /** Sets system properties; `pairs` has names and values in turn. */
    static void setProperties(String[] pairs) {
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            System.setProperty(pairs[i], pairs[i + 1]);
        }
    }

    /**
     * Makes a new loader with the driver of `engine` (see reneri.driver.Drivers). The last loader must be closed. The parent is the platform class
     * loader, or one below it for the elements in `shared`, which are the same each time. So the tests see nothing of the worker but this package.
     * Without a class path, the loader is the JVM's own.
     */
    static void open(String[] classPath, String[] shared, String[] engine) throws Throwable {
        if (!isRandomized) {
            Identities.randomize();
            isRandomized = true;
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
     * Discards the loader. Threads that tests have left behind may live as long as the JVM, so the loader is removed as their context class loader.
     * The result is these threads; the worker removes their other references through JNI.
     */
    static Thread[] close() throws Exception {
        Thread[] leftover = {};
        if (loader != null) {
            ClassLoader application = ClassLoader.getSystemClassLoader();
            Thread.currentThread().setContextClassLoader(application);
            ClassLoader old = loader;
            loader = null;
            if (old instanceof Loader) {
                try {
                    leftover = leftoverThreads();
                    for (Thread thread : leftover) {
                        thread.setContextClassLoader(application);
                    }
                } catch (SecurityException e) {
                    // The tests have set a security manager, so their threads keep the loader.
                }
                ((Loader) old).close();
            }
        }
        return leftover;
    }

    /** Whether a class stays after the loader is discarded. */
    static boolean outlives(Class<?> type) {
        ClassLoader definer = type.getClassLoader();
        ClassLoader permanent = parent == null ? ClassLoader.getSystemClassLoader() : parent;
        for (; permanent != null; permanent = permanent.getParent()) {
            if (permanent == definer) {
                return true;
            }
        }
        return definer == null || definer == ClassLoader.getSystemClassLoader();
    }

    /** Finds tests; see reneri.driver.Driver. The result has three strings for each test. */
    static String[] discover(String[] classNames, String groups, String excludedGroups) throws Throwable {
        return (String[]) call("discover", new Class<?>[] {String[].class, String.class, String.class}, classNames, groups, excludedGroups);
    }

    static void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, boolean record) throws Throwable {
        Probe.record(record);
        try {
            call("run", new Class<?>[] {String[].class, boolean.class, boolean.class}, ids, wholeClasses, stopAtFirstFailure);
        } finally {
            Probe.record(false);
        }
    }

    /** The threads that tests have left behind. */
    static Thread[] leftoverThreads() {
        Thread[] threads = new Thread[1024];
        int count = Thread.currentThread().getThreadGroup().enumerate(threads);
        Thread[] leftover = new Thread[count];
        int size = 0;
        for (int i = 0; i < count; i++) {
            if (threads[i] != Thread.currentThread()) {
                leftover[size++] = threads[i];
            }
        }
        return Arrays.copyOf(leftover, size);
    }

    /** The number of threads that tests have left behind; with `running`, only those that run, as far as the JVM can tell. */
    static int countLeftoverThreads(boolean running) {
        int count = 0;
        for (Thread thread : leftoverThreads()) {
            if (!running || thread.getState() == Thread.State.RUNNABLE) {
                count++;
            }
        }
        return count;
    }

    /** Whether live objects take up more than this percentage of the maximum heap. */
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
