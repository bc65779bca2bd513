package org.example;

import java.util.ServiceLoader;

public final class Plugins {
    private Plugins() {}

    public static Plugin byName(String name) throws Exception {
        Class<?> type = Class.forName(name, true, ClassLoader.getSystemClassLoader());
        return (Plugin) type.getConstructor().newInstance();
    }

    public static int available() {
        int count = 0;
        for (Plugin plugin : ServiceLoader.load(Plugin.class, ClassLoader.getSystemClassLoader())) {
            count += plugin.uses() + 1;
        }
        return count;
    }
}
