package reneri.driver;

import java.lang.annotation.Annotation;
import java.lang.annotation.Inherited;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.runner.Description;

/** Surefire's {@code groups} and {@code excludedGroups} for JUnit 4: {@link GroupExpression}s over the classes in {@code @Category}. */
final class Categories {
    private final Predicate<Set<Class<?>>> wanted;
    /** {@code org.junit.experimental.categories.Category}, by reflection, because JUnit 4.4 does not have it. */
    private final Class<? extends Annotation> category;

    private Categories(Predicate<Set<Class<?>>> wanted, Class<? extends Annotation> category) {
        this.wanted = wanted;
        this.category = category;
    }

    /** Null if both are empty. */
    static Categories of(String groups, String excludedGroups, ClassLoader project) {
        Predicate<Set<Class<?>>> wanted = parse(groups, project);
        Predicate<Set<Class<?>>> unwanted = parse(excludedGroups, project);
        if (wanted == null && unwanted == null) {
            return null;
        }
        try {
            return new Categories(
                    categories -> (wanted == null || wanted.test(categories)) && (unwanted == null || !unwanted.test(categories)),
                    Class.forName("org.junit.experimental.categories.Category", false, project).asSubclass(Annotation.class));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("surefire's groups need JUnit 4.8 or newer, where @Category is.", e);
        }
    }

    /** @param testClass the class of the test; null if its name is not that of a class */
    boolean shouldRun(Description test, Class<?> testClass) {
        Set<Class<?>> categories = new HashSet<>();
        add(test.getAnnotation(category), categories);
        boolean inherited = category.isAnnotationPresent(Inherited.class);
        for (Class<?> c = testClass; c != null && (c == testClass || inherited); c = c.getSuperclass()) {
            add(c.getAnnotation(category), categories);
        }
        return wanted.test(categories);
    }

    private static void add(Annotation annotation, Set<Class<?>> categories) {
        if (annotation == null) {
            return;
        }
        try {
            categories.addAll(Arrays.asList((Class<?>[]) annotation.annotationType().getMethod("value").invoke(annotation)));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("@Category has no readable value.", e);
        }
    }

    private static Predicate<Set<Class<?>>> parse(String text, ClassLoader project) {
        return GroupExpression.parse(text, name -> named(name, project));
    }

    private static Predicate<Set<Class<?>>> named(String name, ClassLoader project) {
        Class<?> group = null;
        try {
            group = Class.forName(name, false, project);
        } catch (ClassNotFoundException | LinkageError e) {
            // Surefire compares such a name with the ends of category names.
        }
        Class<?> loaded = group;
        return categories -> {
            for (Class<?> category : categories) {
                if (loaded != null && loaded.isAssignableFrom(category) || category.getName().endsWith(name)) {
                    return true;
                }
            }
            return false;
        };
    }
}
