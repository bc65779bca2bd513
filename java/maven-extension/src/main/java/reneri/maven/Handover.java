// Collects what the extension finds and writes it as one JSON file for the process that started
// Maven.
package reneri.maven;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.maven.project.MavenProject;

/**
 * The extension's components share it. It is static because Maven may create them through different
 * injectors. Maven may build modules at the same time, each in its own thread. What a thread says
 * belongs to the module that the thread has entered, or else to the whole build.
 */
final class Handover {
    /**
     * An environment variable, because surefire passes properties of the command line on to the
     * tests.
     */
    static final String FILE = "RENERI_HANDOVER";

    /** The modules by `groupId:artifactId`, in the order of the reactor. */
    private static final Map<String, Part> MODULES = new LinkedHashMap<>();
    private static final Part BUILD = new Part();
    private static final ThreadLocal<Part> CURRENT = ThreadLocal.withInitial(() -> BUILD);

    /** Values are stored as JSON at once, because Maven's own objects still change. */
    private static final class Part {
        final Map<String, String> values = new TreeMap<>();
        final List<String> notes = new ArrayList<>();
    }

    private Handover() {}

    /** Makes later calls of this thread be about that module. */
    static synchronized void enter(MavenProject project) {
        String key = project.getGroupId() + ":" + project.getArtifactId();
        CURRENT.set(MODULES.computeIfAbsent(key, name -> new Part()));
    }

    /** Makes later calls of this thread be about the whole build. */
    static void leave() {
        CURRENT.remove();
    }

    static synchronized void put(String key, Object value) {
        StringBuilder json = new StringBuilder();
        append(json, value);
        CURRENT.get().values.put(key, json.toString());
    }

    /** Adds a value to the list under that key. */
    static synchronized void add(String key, Object value) {
        StringBuilder json = new StringBuilder();
        append(json, value);
        CURRENT.get().values.merge(key, "[" + json + "]", (before, one) -> before.substring(0, before.length() - 1) + "," + one.substring(1));
    }

    static synchronized boolean has(String key) {
        return CURRENT.get().values.containsKey(key);
    }

    static synchronized void note(String text) {
        List<String> notes = CURRENT.get().notes;
        if (!notes.contains(text)) {
            notes.add(text);
            put("notes", notes);
        }
    }

    /**
     * Reports a problem that makes the run impossible. reneri chooses its advice by `kind`. The
     * first problem stays.
     */
    static synchronized void problem(String kind, String text) {
        if (has("problem")) {
            return;
        }
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("kind", kind);
        problem.put("text", text);
        put("problem", problem);
        write();
    }

    static synchronized void write() {
        String name = System.getenv(FILE);
        if (name == null) {
            return;
        }
        StringBuilder json = new StringBuilder("{");
        appendValues(json, BUILD);
        json.append(BUILD.values.isEmpty() ? "" : ",").append("\"modules\":[");
        String separator = "";
        for (Part module : MODULES.values()) {
            json.append(separator).append('{');
            appendValues(json, module);
            json.append('}');
            separator = ",";
        }
        json.append("]}");
        Path file = Paths.get(name);
        Path scratch = Paths.get(name + ".new");
        try {
            Files.write(scratch, json.toString().getBytes(StandardCharsets.UTF_8));
            Files.move(scratch, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new IllegalStateException("reneri cannot write " + file + ": " + e, e);
        }
    }

    private static void appendValues(StringBuilder json, Part part) {
        String separator = "";
        for (Map.Entry<String, String> entry : part.values.entrySet()) {
            json.append(separator);
            quote(json, entry.getKey());
            json.append(':').append(entry.getValue());
            separator = ",";
        }
    }

    private static void append(StringBuilder json, Object value) {
        if (value == null) {
            json.append("null");
        } else if (value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            json.append(value);
        } else if (value instanceof File) {
            quote(json, ((File) value).getAbsolutePath());
        } else if (value instanceof Map) {
            // Sorted, because Properties have no order. A null value stays null.
            Map<String, Object> sorted = new TreeMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                sorted.put(String.valueOf(entry.getKey()), entry.getValue());
            }
            char separator = '{';
            for (Map.Entry<String, Object> entry : sorted.entrySet()) {
                json.append(separator);
                quote(json, entry.getKey());
                json.append(':');
                append(json, entry.getValue());
                separator = ',';
            }
            json.append(sorted.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable) {
            char separator = '[';
            for (Object item : (Iterable<?>) value) {
                // Maven makes null of an empty element.
                if (item != null) {
                    json.append(separator);
                    append(json, item);
                    separator = ',';
                }
            }
            json.append(separator == '[' ? "[]" : "]");
        } else if (value.getClass().isArray()) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                items.add(Array.get(value, i));
            }
            append(json, items);
        } else {
            quote(json, value.toString());
        }
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
