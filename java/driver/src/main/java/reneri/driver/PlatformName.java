package reneri.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * The name for people of a test of the JUnit Platform: {@code org.example.StackTest.pops(int)}, {@code org.example.StackTest.pops(int)[2]} for an
 * invocation, {@code org.example.StackTest$WhenEmpty.pops()} in a nested class.
 */
final class PlatformName {
    final String name;
    /** Binary name; empty if the engine names no class. */
    final String className;

    PlatformName(TestPlan plan, TestIdentifier test) {
        List<TestIdentifier> path = new ArrayList<>();
        for (Optional<TestIdentifier> node = Optional.of(test); node.isPresent(); node = plan.getParent(node.get())) {
            path.add(0, node.get());
        }
        String method = null;
        String declaring = "";
        StringBuilder classInvocations = new StringBuilder();
        StringBuilder methodInvocations = new StringBuilder();
        for (TestIdentifier identifier : path) {
            TestSource source = identifier.getSource().orElse(null);
            if (source instanceof MethodSource && method == null) {
                MethodSource methodSource = (MethodSource) source;
                declaring = methodSource.getClassName();
                method = methodSource.getMethodName() + '(' + simpleNames(methodSource.getMethodParameterTypes()) + ')';
                // Vintage has no identifiers between method and invocation; it puts the parameters into the display name.
                int parameters = identifier.getDisplayName().indexOf('[');
                if (lastSegment(identifier).startsWith("test:") && parameters > 0) {
                    methodInvocations.append(identifier.getDisplayName().substring(parameters));
                }
            } else if (method != null) {
                methodInvocations.append('[').append(number(identifier)).append(']');
            } else if (source instanceof ClassSource && !((ClassSource) source).getClassName().equals(declaring)) {
                declaring = ((ClassSource) source).getClassName();
            } else if (lastSegment(identifier).contains("invocation:")) {
                classInvocations.append('[').append(number(identifier)).append(']');
            }
        }
        className = declaring;
        if (method != null) {
            name = declaring + classInvocations + '.' + method + methodInvocations;
        } else if (test.getSource().orElse(null) instanceof ClassSource) {
            name = declaring + classInvocations;
        } else {
            name = declaring.isEmpty() ? test.getDisplayName() : declaring + classInvocations + '.' + test.getDisplayName();
        }
    }

    /** The number of an invocation: {@code #2} is the second one. Other engines have their own keys. */
    private static String number(TestIdentifier identifier) {
        String segment = lastSegment(identifier);
        String value = segment.substring(segment.indexOf(':') + 1);
        return value.startsWith("#") ? value.substring(1) : value;
    }

    private static String lastSegment(TestIdentifier identifier) {
        String id = identifier.getUniqueId();
        return id.substring(id.lastIndexOf('[') + 1, id.endsWith("]") ? id.length() - 1 : id.length());
    }

    private static String simpleNames(String types) {
        if (types == null) {
            return "";
        }
        StringBuilder simple = new StringBuilder();
        for (String type : types.split(",")) {
            String trimmed = type.trim();
            simple.append(simple.length() == 0 ? "" : ", ").append(readable(trimmed));
        }
        return simple.toString();
    }

    /** The simple name of a type. Some versions of Jupiter write {@code [Ljava.lang.String;} and {@code [I}, others {@code java.lang.String[]}. */
    private static String readable(String type) {
        int dimensions = 0;
        String element = type;
        while (element.startsWith("[")) {
            element = element.substring(1);
            dimensions++;
        }
        if (dimensions > 0) {
            int primitive = element.length() == 1 ? "ZBCSIJFD".indexOf(element) : -1;
            if (primitive >= 0) {
                element = new String[] {"boolean", "byte", "char", "short", "int", "long", "float", "double"}[primitive];
            } else if (element.startsWith("L") && element.endsWith(";")) {
                element = element.substring(1, element.length() - 1);
            }
        }
        StringBuilder name = new StringBuilder(element.substring(Math.max(element.lastIndexOf('.'), element.lastIndexOf('$')) + 1));
        for (int i = 0; i < dimensions; i++) {
            name.append("[]");
        }
        return name.toString();
    }
}
