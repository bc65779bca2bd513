package reneri.rt;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.lang.reflect.InvocationTargetException;

/** One class loader with the project, its tests and the test driver in it; a fresh one is a clean start. */
final class Session {
    private static Loader loader;

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

    /** Forgets the loader of before and makes a new one, with the driver of `engine`, see reneri.driver.Drivers. The parent is the platform's loader: nothing of the worker is visible but this package. */
    static void open(String[] classPath, String[] engine) throws Throwable {
        close();
        URL[] urls = new URL[classPath.length];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath[i]).toURI().toURL();
        }
        loader = new Loader(urls, ClassLoader.getSystemClassLoader().getParent());
        call("open", new Class<?>[] {String[].class}, (Object) engine);
    }

    static void close() throws Exception {
        if (loader != null) {
            Thread.currentThread().setContextClassLoader(ClassLoader.getSystemClassLoader());
            Loader old = loader;
            loader = null;
            old.close();
        }
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
