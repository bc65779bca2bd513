package reneri.rt;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;

/** What a Java agent of the tests has changed in the JVM itself. Loaded where there is one, and so `java.instrument`. */
final class Agents {
    private Agents() {
    }

    /** Takes these transformers away, and gives those of the classes that outlive the class loader of the tests the code they had before. */
    static void undo(Object agent, Object[] transformers, Class<?>[] changed) throws UnmodifiableClassException {
        Instrumentation instrumentation = (Instrumentation) agent;
        for (Object transformer : transformers) {
            instrumentation.removeTransformer((ClassFileTransformer) transformer);
        }
        List<Class<?>> stay = new ArrayList<Class<?>>();
        for (Class<?> type : changed) {
            if (Session.outlives(type)) {
                stay.add(type);
            }
        }
        if (!stay.isEmpty()) {
            instrumentation.retransformClasses(stay.toArray(new Class<?>[0]));
        }
    }
}
