// Finds the elements that surefire would put on the module path; surefire's own library decides.
package reneri.maven;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Does what `AbstractSurefireMojo.newStartupConfigWithModularPath` does (2.21 to 3.5). It takes the
 * module-info.class of the tests (from 3.0.0-M5 on), or else that of the code, and lets plexus-java
 * choose the elements that this module needs.
 */
final class ModulePath {
    private static final String JPMS = "org.codehaus.plexus.languages.java.jpms.";
    private static final String DESCRIPTOR = "module-info.class";

    private ModulePath() {}

    /**
     * Returns `null` if the tests run on the class path. reneri checks whether the JDK knows
     * modules.
     */
    static Map<String, Object> of(Parameters parameters) {
        if (Boolean.FALSE.equals(parameters.get("useModulePath"))) {
            return null;
        }
        boolean knowsTestModules = parameters.get("useModulePath") != null;
        Object tests = parameters.get("testClassesDirectory");
        Object classes = parameters.get("classesDirectory");
        boolean ofTests = knowsTestModules && tests instanceof File && new File((File) tests, DESCRIPTOR).isFile();
        Object folder = ofTests ? tests : classes;
        if (!(folder instanceof File) || !new File((File) folder, DESCRIPTOR).isFile()) {
            return null;
        }
        ClassLoader loader = parameters.loader();
        Class<?> manager;
        try {
            manager = loader.loadClass(JPMS + "LocationManager");
        } catch (ClassNotFoundException e) {
            return null; // This surefire is older than modules.
        }
        try {
            Object path = call(call(parameters.call("generateTestClasspath"), "toClasspath"), "getClassPath");
            Object request = loader.loadClass(JPMS + "ResolvePathsRequest").getMethod("ofStrings", Collection.class).invoke(null, path);
            set(request, "setMainModuleDescriptor", Object.class, new File((File) folder, DESCRIPTOR).getAbsolutePath());
            // Surefire sets these if its library has them.
            set(request, "setIncludeAllProviders", boolean.class, true);
            set(request, "setIncludeStatic", boolean.class, true);
            Object result = manager.getMethod("resolvePaths", request.getClass().getSuperclass())
                .invoke(manager.getConstructor().newInstance(), request);
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("module", call(call(result, "getMainModuleDescriptor"), "name"));
            values.put("ofTests", ofTests);
            values.put("elements", ofTests ? path : new ArrayList<>(((Map<?, ?>) call(result, "getModulepathElements")).keySet()));
            return values;
        } catch (ReflectiveOperationException | RuntimeException e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            Handover.note("The tests run on the class path, because it cannot be told what surefire puts on the module path: " + cause);
            return null;
        }
    }

    private static Object call(Object target, String name) throws ReflectiveOperationException {
        Object result = target == null ? null : new Parameters(target).call(name);
        if (result == null) {
            throw new NoSuchMethodException(name);
        }
        return result;
    }

    private static void set(Object target, String name, Class<?> type, Object value) throws ReflectiveOperationException {
        Method method;
        try {
            method = target.getClass().getMethod(name, type);
        } catch (NoSuchMethodException e) {
            return;
        }
        method.setAccessible(true);
        method.invoke(target, value);
    }
}
