package reneri.driver;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.TimeZone;

/**
 * The state that tests share with the whole JVM. The constructor saves it and {@link #close} restores it, so that each run of tests starts with the
 * same state. In between, output of tests is dropped, and their input is empty.
 */
final class Surroundings implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final ClassLoader loader = thread.getContextClassLoader();
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private final Properties properties = System.getProperties();
    private final Properties values = (Properties) properties.clone();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final NetworkDefaults network = new NetworkDefaults();
    private final Object securityManager = securityManager();

    /** @param project becomes the context class loader of the current thread, as in surefire */
    Surroundings(ClassLoader project) {
        thread.setContextClassLoader(project);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(Nowhere.STREAM);
        System.setErr(Nowhere.STREAM);
    }

    @Override
    public void close() {
        // First, because a security manager of the tests could forbid the rest.
        if (securityManager() != securityManager) {
            setSecurityManager();
        }
        // A test that was interrupted, or interrupts itself, must not disturb the next one.
        Thread.interrupted();
        thread.setContextClassLoader(loader);
        if (Thread.getDefaultUncaughtExceptionHandler() != handler) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        if (System.getProperties() != properties) {
            System.setProperties(properties);
        }
        if (!properties.equals(values)) {
            properties.clear();
            properties.putAll(values);
        }
        network.restore();
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        if (!locale.equals(Locale.getDefault())) {
            Locale.setDefault(locale);
        }
        if (!display.equals(Locale.getDefault(Locale.Category.DISPLAY))) {
            Locale.setDefault(Locale.Category.DISPLAY, display);
        }
        if (!format.equals(Locale.getDefault(Locale.Category.FORMAT))) {
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
        }
    }

    /** A number that differs if the state does. Numbers of different JVMs cannot be compared. */
    static int state() {
        try {
            return Objects.hash(
                    System.getProperties(),
                    System.identityHashCode(System.in),
                    System.identityHashCode(System.out),
                    System.identityHashCode(System.err),
                    Locale.getDefault(),
                    Locale.getDefault(Locale.Category.DISPLAY),
                    Locale.getDefault(Locale.Category.FORMAT),
                    TimeZone.getDefault(),
                    TimeZone.getDefault().getID(),
                    NetworkDefaults.state(),
                    System.identityHashCode(Thread.getDefaultUncaughtExceptionHandler()),
                    System.identityHashCode(Thread.currentThread().getContextClassLoader()),
                    System.identityHashCode(securityManager()));
        } catch (RuntimeException e) {
            // A security manager forbids it, or a property has no hash code, so the state counts as changed.
            return (int) System.nanoTime();
        }
    }

    // By reflection, because security managers are deprecated for removal (JEP 411).
    private static Object securityManager() {
        try {
            return System.class.getMethod("getSecurityManager").invoke(null);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private void setSecurityManager() {
        try {
            for (Method method : System.class.getMethods()) {
                if (method.getName().equals("setSecurityManager")) {
                    method.invoke(null, securityManager);
                }
            }
        } catch (ReflectiveOperationException e) {
            // The security manager forbids its own removal, so it stays for later runs.
        }
    }

    /** Drops all output, but calls {@code toString()} as a real stream would, because that may be what a test covers. */
    private static final class Nowhere extends PrintStream {
        static final PrintStream STREAM = new Nowhere();

        private Nowhere() {
            super(new OutputStream() {
                @Override
                public void write(int b) {}

                @Override
                public void write(byte[] bytes, int from, int length) {}
            });
        }

        @Override
        public void print(String text) {}

        @Override
        public void println(String text) {}

        @Override
        public void println() {}

        @Override
        public void println(Object value) {
            String.valueOf(value);
        }

        @Override
        public void write(int b) {}

        // Tests may close System.out. A closed PrintStream would report errors from then on.
        @Override
        public void close() {}
    }
}
