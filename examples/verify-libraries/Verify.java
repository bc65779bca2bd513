import java.io.File;
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
 * Links every class of a folder and prints, for each, its name, a tab, and "links" or why it does not. One folder per JVM: what one
 * class loader has loaded puts constraints on the next (JVMS §5.3.4). Arguments: class path of the classes' own dependencies (may be
 * empty), folder.
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
        for (String element : arguments[0].split(File.pathSeparator)) {
            if (!element.isEmpty()) {
                classPath.add(Paths.get(element).toUri().toURL());
            }
        }
        ClassLoader dependencies = new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Path folder = Paths.get(arguments[1]);
        List<String> names;
        try (Stream<Path> files = Files.walk(folder)) {
            names = files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> folder.relativize(file).toString().replace(File.separatorChar, '/'))
                    // Only the boot loader may define java.*, so what is woven there cannot be checked.
                    .filter(file -> !file.endsWith("module-info.class") && !file.startsWith("java/"))
                    .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .collect(Collectors.toList());
        }
        Folder loader = new Folder(folder, dependencies);
        for (String name : names) {
            String failure = loader.link(name);
            out.println(name + "\t" + (failure == null ? "links" : failure.replace('\n', ' ')));
        }
    }
}
