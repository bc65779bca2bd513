package org.example;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Lets no test be found in another class loader than the JVM's, as the listener of a framework may. */
public class NeedsClassPath implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (getClass().getClassLoader() != ClassLoader.getSystemClassLoader()) {
            throw new IllegalStateException("not on the class path:\n\tat org.example.NeedsClassPath");
        }
    }
}
