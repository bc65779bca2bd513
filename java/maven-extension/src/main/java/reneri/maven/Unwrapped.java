// Finds the mojo behind an object that another extension has put around it.
package reneri.maven;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.maven.plugin.Mojo;

/**
 * Build caches such as Develocity replace a mojo by a proxy, which has none of its fields. The mojo
 * is looked for in the fields of what is around it, nearest first.
 */
final class Unwrapped {
    /** The most objects that are looked at. */
    private static final int OBJECTS = 500;

    private Unwrapped() {}

    /** Returns the mojo itself if nothing else is found. */
    static Object mojo(Object mojo) {
        if (!Proxy.isProxyClass(mojo.getClass())) {
            return mojo;
        }
        Set<Object> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(mojo);
        while (!open.isEmpty() && known.size() < OBJECTS) {
            Object object = open.remove();
            if (!known.add(object)) {
                continue;
            }
            if (object instanceof Mojo && !Proxy.isProxyClass(object.getClass())) {
                return object;
            }
            if (Proxy.isProxyClass(object.getClass())) {
                open.add(Proxy.getInvocationHandler(object));
            } else if (object instanceof Object[]) {
                for (Object element : (Object[]) object) {
                    addTo(open, element);
                }
            } else {
                addFields(open, object);
            }
        }
        return mojo;
    }

    private static void addFields(Deque<Object> open, Object object) {
        for (Class<?> type = object.getClass(); type != null && !type.getName().startsWith("java."); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    addTo(open, field.get(object));
                } catch (IllegalAccessException | RuntimeException e) {
                    // A module keeps it closed, so no extension has put the mojo there.
                }
            }
        }
    }

    private static void addTo(Deque<Object> open, Object object) {
        if (object != null) {
            open.add(object);
        }
    }
}
