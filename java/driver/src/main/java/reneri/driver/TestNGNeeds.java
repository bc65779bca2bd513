package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.ITestNGMethod;
import org.testng.annotations.AfterGroups;
import org.testng.annotations.AfterSuite;
import org.testng.annotations.AfterTest;
import org.testng.annotations.BeforeGroups;
import org.testng.annotations.BeforeSuite;
import org.testng.annotations.BeforeTest;
import org.testng.annotations.Factory;
import org.testng.annotations.Listeners;

/**
 * The classes of a suite that affect the tests of other classes: by {@code @BeforeSuite} and the like, {@code @Listeners} or {@code @Factory}. A run of
 * single tests needs these classes.
 */
final class TestNGNeeds {
    private static final List<Class<? extends Annotation>> SUITE_ANNOTATIONS = Arrays.asList(
        BeforeSuite.class, AfterSuite.class, BeforeTest.class, AfterTest.class, BeforeGroups.class, AfterGroups.class);

    /** For each class, its methods and listener classes that affect other classes. */
    private final Map<String, Set<Object>> features = new LinkedHashMap<>();
    private final Set<String> factories = new LinkedHashSet<>();

    TestNGNeeds(Collection<Class<?>> classes) {
        for (Class<?> testClass : classes) {
            if (!Modifier.isAbstract(testClass.getModifiers())) {
                features.put(testClass.getName(), featuresOf(testClass));
            }
        }
    }

    private Set<Object> featuresOf(Class<?> testClass) {
        Set<Object> found = new LinkedHashSet<>();
        for (AnnotatedElement constructor : testClass.getDeclaredConstructors()) {
            addFactory(constructor, testClass);
        }
        for (Class<?> declaring = testClass; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                addFactory(method, testClass);
                if (SUITE_ANNOTATIONS.stream().anyMatch(method::isAnnotationPresent)) {
                    found.add(method);
                }
            }
            Listeners listeners = declaring.getAnnotation(Listeners.class);
            if (listeners != null) {
                found.addAll(Arrays.asList((Object[]) listeners.value()));
            }
        }
        return found;
    }

    private void addFactory(AnnotatedElement element, Class<?> testClass) {
        if (element.isAnnotationPresent(Factory.class)) {
            factories.add(testClass.getName());
        }
    }

    /**
     * The names, with commas in between, of the classes that a test needs to behave as in the whole suite. Its own class is among them, unless only a
     * factory makes instances of it.
     *
     * @param methods the test and all methods on which it depends
     */
    String of(Collection<ITestNGMethod> methods, TestNGIds ids) {
        Set<String> needed = new LinkedHashSet<>();
        for (ITestNGMethod method : methods) {
            String name = TestNGIds.classOf(method).getName();
            if (features.containsKey(name)) {
                needed.add(name);
            }
            if (!features.containsKey(name) || ids.isOneOfSeveral(method)) {
                needed.addAll(factories);
            }
        }
        Set<Object> provided = new HashSet<>();
        needed.forEach(name -> provided.addAll(features.getOrDefault(name, new HashSet<>())));
        features.forEach((name, offered) -> {
            if (provided.addAll(offered)) {
                needed.add(name);
            }
        });
        return String.join(",", needed);
    }
}
