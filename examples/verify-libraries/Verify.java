import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Links every class of a folder of original classes, and of folders with the same classes woven, and reports each class that links
 * as it was but not as it is woven. Arguments: class path of the classes' own dependencies (may be empty), original, woven...
 */
public final class Verify {
    /** Defines what is in its folder itself, whatever the parents have: classes of the JDK's own modules can be checked so, too. */
    static final class Folder extends ClassLoader {
        private final Path folder;

        Folder(Path folder, ClassLoader parent) {
            super(parent);
            this.folder = folder;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                Path file = folder.resolve(name.replace('.', '/') + ".class");
                if (name.startsWith("java.") || !Files.isRegularFile(file)) {
                    return super.loadClass(name, resolve);
                }
                try {
                    byte[] bytes = Files.readAllBytes(file);
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }

        /**
         * Null when the class links, else why not. Verification is part of linking (JVMS §5.4). Reflection over members links a class and
         * does not initialise it (HotSpot: get_class_declared_methods_helper), so no code of the library runs here.
         */
        String link(String name) {
            try {
                Class.forName(name, false, this).getDeclaredConstructors();
                return null;
            } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
                return e.toString();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        List<URL> classPath = new ArrayList<>();
        for (String element : arguments[0].split(java.io.File.pathSeparator)) {
            if (!element.isEmpty()) {
                classPath.add(Paths.get(element).toUri().toURL());
            }
        }
        ClassLoader dependencies = new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Path original = Paths.get(arguments[1]);
        List<String> names;
        try (Stream<Path> files = Files.walk(original)) {
            names = files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> original.relativize(file).toString().replace(java.io.File.separatorChar, '/'))
                    .filter(file -> !file.endsWith("module-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .collect(Collectors.toList());
        }
        Folder before = new Folder(original, dependencies);
        List<String> linked = new ArrayList<>();
        for (String name : names) {
            if (before.link(name) == null) {
                linked.add(name);
            }
        }
        for (int i = 2; i < arguments.length; i++) {
            Path folder = Paths.get(arguments[i]);
            Folder after = new Folder(folder, dependencies);
            int failures = 0;
            for (String name : linked) {
                String failure = after.link(name);
                if (failure != null) {
                    failures++;
                    out.println("failed " + folder.getFileName() + " " + name + ": " + failure);
                }
            }
            out.println("result " + folder.getFileName() + " " + linked.size() + " " + (names.size() - linked.size()) + " " + failures);
        }
    }
}
