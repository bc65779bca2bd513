package reneri.driver;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;

/**
 * Stops a run. The launcher ignores exceptions of listeners, and only version 6 and later have a token that cancels a run. For earlier versions,
 * {@link StoppableNodes} replace nodes in the tree of tests that engines are about to run, so that the rest is skipped, tear-down included.
 */
class PlatformStop {
    private final Progress progress;
    private final Set<TestDescriptor> roots = Collections.newSetFromMap(new IdentityHashMap<>());

    PlatformStop(Progress progress) {
        this.progress = progress;
    }

    /** The class of the token; null before version 6. */
    static Class<?> tokenType() {
        try {
            return Class.forName("org.junit.platform.engine.CancellationToken", true, Launcher.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    static PlatformStop create(Progress progress, Class<?> tokenType) throws ReflectiveOperationException {
        return tokenType == null ? new PlatformStop(progress) : new ByToken(progress, tokenType);
    }

    /**
     * A filter that sees the tree; nothing else in the launcher's interface does.
     *
     * @param takes whether the test or template with this id is to run; the launcher asks for containers, too, and ignores the answer
     */
    final PostDiscoveryFilter filter(Predicate<String> takes) {
        return descriptor -> {
            TestDescriptor root = descriptor;
            while (root.getParent().isPresent()) {
                root = root.getParent().get();
            }
            roots.add(root);
            return FilterResult.includedIf(takes.test(descriptor.getUniqueId().toString()));
        };
    }

    void execute(Launcher launcher, LauncherDiscoveryRequest request, TestExecutionListener listener) throws ReflectiveOperationException {
        launcher.execute(request, listener);
    }

    /** Called when the tests are known and none has run. */
    void prepare() {
        for (TestDescriptor root : roots) {
            new StoppableNodes(progress).replaceBelow(root);
        }
    }

    /** Keeps the remaining tests from running. */
    void stop() {}

    /** Stops runs of version 6 and later. */
    private static final class ByToken extends PlatformStop {
        private final Class<?> type;
        private final Object token;

        ByToken(Progress progress, Class<?> type) throws ReflectiveOperationException {
            super(progress);
            this.type = type;
            token = type.getMethod("create").invoke(null);
        }

        @Override
        void execute(Launcher launcher, LauncherDiscoveryRequest request, TestExecutionListener listener) throws ReflectiveOperationException {
            ClassLoader loader = Launcher.class.getClassLoader();
            Class<?> builderType = Class.forName("org.junit.platform.launcher.core.LauncherExecutionRequestBuilder", true, loader);
            Object builder = builderType.getMethod("request", LauncherDiscoveryRequest.class).invoke(null, request);
            builderType.getMethod("cancellationToken", type).invoke(builder, token);
            Object listeners = Array.newInstance(TestExecutionListener.class, 1);
            Array.set(listeners, 0, listener);
            builderType.getMethod("listeners", listeners.getClass()).invoke(builder, listeners);
            Object executionRequest = builderType.getMethod("build").invoke(builder);
            Class<?> requestType = Class.forName("org.junit.platform.launcher.LauncherExecutionRequest", true, loader);
            Method execute = Launcher.class.getMethod("execute", requestType);
            try {
                execute.invoke(launcher, executionRequest);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof RuntimeException) {
                    throw (RuntimeException) e.getCause();
                }
                throw e;
            }
        }

        @Override
        void prepare() {}

        @Override
        void stop() {
            try {
                type.getMethod("cancel").invoke(token);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("The run cannot be cancelled.", e);
            }
        }
    }
}
