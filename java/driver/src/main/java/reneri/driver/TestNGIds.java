package reneri.driver;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import org.testng.ITestNGMethod;

/**
 * The ids and names of TestNG's methods. An id has eight fields with tabs in between: suite, test, class, method with its parameter types, number of
 * the instance (a factory makes several), number of the invocation or nothing, the classes that the test needs to behave as in the whole suite, and
 * those of them that have a method on which the test depends. The last two have commas between the names. The first five are the key of the method. Instances are numbered from 1 in the order in which TestNG makes them.
 */
final class TestNGIds {
    private static final int KEY = 5;

    /** Instances by suite, test and class. */
    private final Map<String, List<Object>> instances = new HashMap<>();

    String key(ITestNGMethod method) {
        return String.join("\t", place(method), signature(method, Class::getName), String.valueOf(instance(method)));
    }

    private static String place(ITestNGMethod method) {
        return String.join("\t", method.getXmlTest().getSuite().getName(), method.getXmlTest().getName(), classOf(method).getName());
    }

    private int instance(ITestNGMethod method) {
        List<Object> known = instances.computeIfAbsent(place(method), unused -> new ArrayList<>());
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i) == method.getInstance()) {
                return i + 1;
            }
        }
        known.add(method.getInstance());
        return known.size();
    }

    /** Whether a factory made more than one instance of the class. Known only after every method has a key. */
    boolean isOneOfSeveral(ITestNGMethod method) {
        return instances.getOrDefault(place(method), new ArrayList<>()).size() > 1;
    }

    /** Whether both are the same method, the first of an earlier instance than the second. */
    boolean isBefore(ITestNGMethod first, ITestNGMethod second) {
        return first.getConstructorOrMethod().equals(second.getConstructorOrMethod())
            && place(first).equals(place(second))
            && instance(first) < instance(second);
    }

    static String id(String key, String invocation, String needs, String dependencies) {
        return String.join("\t", key, invocation, needs, dependencies);
    }

    /** The id of an invocation, or of the whole method if {@code invocation} is empty. */
    static String withInvocation(String id, String invocation) {
        return id(key(id), invocation, needs(id), field(id, KEY + 2));
    }

    /** The names of the other classes that these methods belong to. */
    static String otherClasses(ITestNGMethod method, Collection<ITestNGMethod> methods) {
        Set<String> names = new LinkedHashSet<>();
        for (ITestNGMethod other : methods) {
            names.add(classOf(other).getName());
        }
        names.remove(classOf(method).getName());
        return String.join(",", names);
    }

    static String key(String id) {
        int end = -1;
        for (int field = 0; field < KEY; field++) {
            end = id.indexOf('\t', end + 1);
        }
        return id.substring(0, end);
    }

    private static String field(String id, int number) {
        return id.split("\t", -1)[number];
    }

    /** The number of the invocation, from 1; 0 for the method as a whole. */
    static int invocation(String id) {
        String number = field(id, KEY);
        return number.isEmpty() ? 0 : Integer.parseInt(number);
    }

    static String className(String id) {
        return field(id, 2);
    }

    static String needs(String id) {
        return field(id, KEY + 1);
    }

    /** The name for people: {@code org.example.StackTest.pops(int)}; {@code org.example.StackTest[2].pops(int)} for the second instance. */
    String name(ITestNGMethod method) {
        String instance = isOneOfSeveral(method) ? "[" + instance(method) + "]" : "";
        return classOf(method).getName() + instance + '.' + signature(method, Class::getSimpleName);
    }

    /** The concrete class, also for an inherited method. */
    static Class<?> classOf(ITestNGMethod method) {
        return method.getTestClass() == null ? method.getRealClass() : method.getTestClass().getRealClass();
    }

    private static String signature(ITestNGMethod method, Function<Class<?>, String> type) {
        Method java = method.getConstructorOrMethod().getMethod();
        StringJoiner types = new StringJoiner(", ", java.getName() + '(', ")");
        for (Class<?> parameter : java.getParameterTypes()) {
            types.add(type.apply(parameter));
        }
        return types.toString();
    }
}
