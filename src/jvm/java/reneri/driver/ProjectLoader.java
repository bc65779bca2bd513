package reneri.driver;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads the project, its tests and the drivers. A new one is a clean start: each static initialiser runs again. Nothing is
 * defined but from {@code classPath}, so that the code source of each class is the real one, which some tests look at.
 */
public final class ProjectLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** @param parent the platform class loader, which sees the JDK and nothing of reneri but what the boot loader has */
    public ProjectLoader(URL[] classPath, ClassLoader parent) {
        super(classPath, parent);
    }
}
