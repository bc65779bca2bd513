package reneri.rt;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;

/**
 * Undoes what a Java agent of the tests has changed in the JVM. This class is loaded only if there is an agent, which means that the module
 * `java.instrument` is available.
 */
final class Agents {
    private Agents() {
    }

    /** Removes the transformers, and restores the original code of those transformed classes that outlive the class loader of the tests. */
    static void undo(Object agent, Object[] transformers, Class<?>[] transformed) throws UnmodifiableClassException {
        Instrumentation instrumentation = (Instrumentation) agent;
        for (Object transformer : transformers) {
            instrumentation.removeTransformer((ClassFileTransformer) transformer);
        }
        List<Class<?>> remaining = new ArrayList<Class<?>>();
        for (Class<?> type : transformed) {
            if (Session.outlives(type)) {
                remaining.add(type);
            }
        }
        if (!remaining.isEmpty()) {
            instrumentation.retransformClasses(remaining.toArray(new Class<?>[0]));
        }
    }
}
