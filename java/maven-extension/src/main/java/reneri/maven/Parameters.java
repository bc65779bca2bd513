// Reads and sets the effective parameters of a mojo that Maven has configured.
package reneri.maven;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Accesses the fields into which Maven injected a mojo's configuration. Maven itself has evaluated
 * expressions and defaults by then, so nothing has to be evaluated here. The fields have the
 * documented names of the parameters.
 */
final class Parameters {
    private final Object mojo;

    Parameters(Object mojo) {
        this.mojo = Unwrapped.mojo(mojo);
    }

    /** The class loader of the plugin. */
    ClassLoader loader() {
        return mojo.getClass().getClassLoader();
    }

    private Field field(String name) {
        for (Class<?> type = mojo.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                // A superclass declares it, or this version of the plugin does not have it.
            }
        }
        return null;
    }

    /** Returns `null` also if this version of the plugin has no such parameter. */
    Object get(String name) {
        Field field = field(name);
        try {
            return field == null ? null : field.get(mojo);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    String text(String name) {
        Object value = get(name);
        return value == null ? null : value.toString();
    }

    boolean isTrue(String name) {
        return Boolean.TRUE.equals(get(name));
    }

    /** Returns false also if this version of the plugin has no such parameter. */
    boolean set(String name, Object value) {
        Field field = field(name);
        if (field == null) {
            return false;
        }
        try {
            field.set(mojo, value);
            return true;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    Map<String, Object> all(String... names) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String name : names) {
            Object value = get(name);
            if (value != null) {
                values.put(name, value);
            }
        }
        return values;
    }

    /** Returns the result of a method without parameters, or `null` if there is no such method. */
    Object call(String name) {
        for (Class<?> type = mojo.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Method method = type.getDeclaredMethod(name);
                method.setAccessible(true);
                return method.invoke(mojo);
            } catch (NoSuchMethodException e) {
                // A superclass declares it.
            } catch (ReflectiveOperationException e) {
                return null;
            }
        }
        return null;
    }
}
