import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import reneri.driver.Driver;
import reneri.driver.Drivers;
import reneri.driver.Listener;
import java.net.URLClassLoader;

/**
 * Finds and runs tests as a worker would, and prints all events. Reads a line for each session: {@code <class,class,…>} and then, separated by tabs,
 * {@code groups=…}, {@code excluded=…}, {@code suites=<file>:<file>…}, {@code listener=<class>}, {@code stop}, {@code refuse=<name>},
 * {@code throw=<name>}, {@code quiet}. With {@code select=<name>;<name>…} or {@code select-all}, a second session in a new class loader runs these
 * tests.
 */
public class Session {
    public static final PrintStream OUT = System.out;

    public static void main(String[] args) throws Exception {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            Map<String, String> options = new LinkedHashMap<>();
            for (String arg : request.split("\t")) {
                int equals = arg.indexOf('=');
                options.put(equals < 0 ? arg : arg.substring(0, equals), equals < 0 ? "" : arg.substring(equals + 1));
            }
            options.put("classes", request.split("\t")[0]);
            try {
                Object ids = inLoader("first", options, new String[0]);
                if (options.containsKey("select") || options.containsKey("select-all")) {
                    inLoader("again", options, (String[]) ids);
                }
            } catch (InvocationTargetException e) {
                OUT.println("broken by " + e.getCause());
            }
            OUT.println("end");
            OUT.flush();
        }
        // A test may have left threads behind.
        System.exit(0);
    }

    private static Object inLoader(String method, Map<String, String> options, String[] ids) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(new File(element).toURI().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getSystemClassLoader().getParent())) {
            return loader.loadClass("Session").getMethod(method, Map.class, String[].class).invoke(null, options, ids);
        }
    }

    private static String[] engine(Map<String, String> options) {
        List<String> engine = new ArrayList<>();
        engine.add(System.getProperty("sample.engine"));
        String[][] parameters = {{"groups", "groups"}, {"excluded", "excludegroups"}, {"suites", "suitexmlfiles"}, {"listener", "listener"}};
        for (String[] parameter : parameters) {
            if (options.containsKey(parameter[0])) {
                engine.add(parameter[1]);
                engine.add(options.get(parameter[0]).replace(':', '\n'));
            }
        }
        return engine.toArray(new String[0]);
    }

    /** Finds and runs tests. Returns those for the second session, as name=id. */
    public static String[] first(Map<String, String> options, String[] unused) throws Exception {
        Map<String, String> idOfName = new LinkedHashMap<>();
        Printer printer = new Printer(options, idOfName);
        List<String> wanted = new ArrayList<>();
        try (Driver driver = Drivers.create(Session.class.getClassLoader(), engine(options))) {
            OUT.println("driver " + driver.getClass().getSimpleName());
            String[] found = driver.discover(options.get("classes").split(","), options.get("groups"), options.get("excluded"));
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < found.length; i += 3) {
                ids.add(found[i]);
                idOfName.put(found[i + 1], found[i]);
                printer.names.put(found[i], found[i + 1]);
                printer.line("found " + found[i + 1] + " in " + found[i + 2]);
            }
            try {
                driver.run(ids.toArray(new String[0]), options.containsKey("whole"), options.containsKey("stop"), printer);
            } catch (IllegalStateException e) {
                OUT.println("thrown " + e.getMessage());
            }
            String all = String.join(";", idOfName.keySet());
            for (String name : options.getOrDefault("select", all).split(";")) {
                wanted.add(name + "=" + idOfName.get(name));
            }
        }
        return wanted.toArray(new String[0]);
    }

    /** Runs tests in the second session. @param selected each as name=id */
    public static String[] again(Map<String, String> options, String[] selected) throws Exception {
        Printer printer = new Printer(options, new LinkedHashMap<>(), false);
        OUT.println("again");
        List<String> ids = new ArrayList<>();
        for (String each : selected) {
            String[] nameAndId = each.split("=", 2);
            printer.names.put(nameAndId[1], nameAndId[0]);
            ids.add(nameAndId[1]);
        }
        try (Driver driver = Drivers.create(Session.class.getClassLoader(), engine(options))) {
            driver.run(ids.toArray(new String[0]), options.containsKey("whole"), options.containsKey("stop"), printer);
        }
        return selected;
    }

    static final class Printer implements Listener {
        final Map<String, String> options;
        final Map<String, String> idOfName;
        final Map<String, String> names = new LinkedHashMap<>();
        boolean quiet;

        Printer(Map<String, String> options, Map<String, String> idOfName) {
            this(options, idOfName, options.containsKey("quiet"));
        }

        Printer(Map<String, String> options, Map<String, String> idOfName, boolean quiet) {
            this.options = options;
            this.idOfName = idOfName;
            this.quiet = quiet;
        }

        void line(String line) {
            if (!quiet) {
                OUT.println(line);
            }
        }

        private String name(String id) {
            return names.getOrDefault(id, id);
        }

        @Override
        public void classEnded(boolean disturbed) {
            // tests/it/frameworks.rs checks what runs between classes.
            if (disturbed) {
                line("disturbed");
            }
        }

        @Override
        public boolean started(String id) {
            line("started " + name(id));
            if (name(id).equals(options.get("throw"))) {
                throw new IllegalStateException("thrown by the listener");
            }
            return !name(id).equals(options.get("refuse"));
        }

        @Override
        public void finished(String id, int outcome, Throwable thrown) {
            String cause = thrown == null ? "" : " by " + thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
            line(Arrays.asList("passed ", "failed ", "skipped ").get(outcome) + name(id) + cause.replace('\n', ' '));
        }

        @Override
        public void testFound(String id, String displayName, String className) {
            names.put(id, displayName);
            idOfName.put(displayName, id);
            line("unexpected " + displayName + " in " + className);
        }
    }
}
