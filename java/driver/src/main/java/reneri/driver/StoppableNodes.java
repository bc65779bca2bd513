package reneri.driver;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/**
 * Replaces each node of an engine's tree by a proxy. It does what the node does until the run is stopped; then it asks to be skipped. Only public
 * interfaces of the platform are used, so this works for Jupiter and every other engine that is built on {@link Node}. Runners of the Vintage
 * engine are wrapped in {@link StoppableRunner}, if that class was compiled.
 */
final class StoppableNodes {
    private final Progress progress;

    StoppableNodes(Progress progress) {
        this.progress = progress;
    }

    void replaceBelow(TestDescriptor parent) {
        List<TestDescriptor> children = new ArrayList<>(parent.getChildren());
        for (TestDescriptor child : children) {
            stopRunner(child);
            replaceBelow(child);
        }
        // An engine that is not built on Node may expect its own types in the tree. A class template copies the nodes below it.
        if (!(parent instanceof Node) || parent.getUniqueId().toString().contains("class-template")) {
            return;
        }
        // All children are removed and added again, so that their order stays.
        for (TestDescriptor child : children) {
            parent.removeChild(child);
        }
        for (TestDescriptor child : children) {
            parent.addChild(stoppable(child));
        }
    }

    private TestDescriptor stoppable(TestDescriptor descriptor) {
        if (!(descriptor instanceof Node) || Proxy.isProxyClass(descriptor.getClass())) {
            return descriptor;
        }
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        interfaces.add(TestDescriptor.class);
        interfaces.add(Node.class);
        for (Class<?> type = descriptor.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> implemented : type.getInterfaces()) {
                if (Modifier.isPublic(implemented.getModifiers())) {
                    interfaces.add(implemented);
                }
            }
        }
        return (TestDescriptor) proxy(interfaces, new NodeHandler(descriptor));
    }

    private static Object proxy(Set<Class<?>> interfaces, InvocationHandler handler) {
        return Proxy.newProxyInstance(StoppableNodes.class.getClassLoader(), interfaces.toArray(new Class<?>[0]), handler);
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            // The method is declared by a public interface, but the class that implements it may not be public.
            method.setAccessible(true);
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private final class NodeHandler implements InvocationHandler {
        private final TestDescriptor node;

        NodeHandler(TestDescriptor node) {
            this.node = node;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "equals":
                    return proxy == arguments[0] || node.equals(behind(arguments[0]));
                case "shouldBeSkipped":
                    if (progress.stopped()) {
                        return Node.SkipResult.skip("The run was stopped.");
                    }
                    break;
                case "around":
                    // The listener has refused this very test: it was reported as started, but does not run.
                    if (progress.stopped()) {
                        return null;
                    }
                    break;
                case "execute":
                    if (arguments.length == 2) {
                        return StoppableNodes.invoke(node, method, new Object[] {arguments[0], executor(arguments[1])});
                    }
                    break;
                default:
                    break;
            }
            return StoppableNodes.invoke(node, method, arguments);
        }

        private Object behind(Object other) {
            if (other != null && Proxy.isProxyClass(other.getClass())) {
                InvocationHandler handler = Proxy.getInvocationHandler(other);
                if (handler instanceof NodeHandler) {
                    return ((NodeHandler) handler).node;
                }
            }
            return other;
        }
    }

    /** An executor of invocations of parameterised tests and of dynamic tests, which are not in the tree beforehand. */
    private Object executor(Object executor) {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        interfaces.add(Node.DynamicTestExecutor.class);
        return proxy(interfaces, (proxy, method, arguments) -> {
            if (!method.getName().equals("execute")) {
                return invoke(executor, method, arguments);
            }
            if (progress.stopped()) {
                return method.getReturnType() == Future.class ? CompletableFuture.completedFuture(null) : null;
            }
            Object[] replaced = arguments.clone();
            replaced[0] = stoppable((TestDescriptor) arguments[0]);
            return invoke(executor, method, replaced);
        });
    }

    /** Wraps the runner that the Vintage engine keeps in a field. If a version has no such field, a stopped class runs to its end. */
    private void stopRunner(TestDescriptor descriptor) {
        if (!descriptor.getClass().getName().equals("org.junit.vintage.engine.descriptor.RunnerTestDescriptor")) {
            return;
        }
        try {
            Class<?> runner = Class.forName("org.junit.runner.Runner");
            Class<?> stoppable = Class.forName("reneri.driver.StoppableRunner");
            BooleanSupplier stopped = progress::stopped;
            for (Field field : descriptor.getClass().getDeclaredFields()) {
                if (field.getType() == runner) {
                    field.setAccessible(true);
                    field.set(descriptor, stoppable.getConstructor(runner, BooleanSupplier.class).newInstance(field.get(descriptor), stopped));
                }
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            // The run only takes longer.
        }
    }
}
