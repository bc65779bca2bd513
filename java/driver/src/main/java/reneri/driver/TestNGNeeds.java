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
 * What one class of a suite does for the tests of the others: {@code @BeforeSuite} and its like, {@code @Listeners}, {@code @Factory}. A run of
 * some tests needs the classes that do so.
 */
final class TestNGNeeds {
    private static final List<Class<? extends Annotation>> OF_SUITE = Arrays.asList(
        BeforeSuite.class, AfterSuite.class, BeforeTest.class, AfterTest.class, BeforeGroups.class, AfterGroups.class);

    /** The methods and listener classes of each class. */
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
            noteFactory(constructor, testClass);
        }
        for (Class<?> declaring = testClass; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                noteFactory(method, testClass);
                if (OF_SUITE.stream().anyMatch(method::isAnnotationPresent)) {
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

    private void noteFactory(AnnotatedElement element, Class<?> testClass) {
        if (element.isAnnotationPresent(Factory.class)) {
            factories.add(testClass.getName());
        }
    }

    /**
     * Names of the classes without which a test is not what it is in the whole suite, with commas in between. Its own is among them, unless only a
     * factory makes instances of it.
     *
     * @param with the test and all on which it depends
     */
    String of(Collection<ITestNGMethod> with, TestNGIds ids) {
        Set<String> needed = new LinkedHashSet<>();
        for (ITestNGMethod method : with) {
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
