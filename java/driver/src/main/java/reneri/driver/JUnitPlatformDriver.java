package reneri.driver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of every engine of the JUnit Platform, versions 1.3 to 6, through its launcher. The id of a test is the engine's unique id;
 * {@code […]/[test-template-invocation:#2]} is a single invocation. Methods that version 1.3 does not have are called by reflection.
 */
public final class JUnitPlatformDriver implements Driver {
    private static final String SEED = "junit.jupiter.execution.order.random.seed";

    private final ClassLoader project;
    private final Names names = new Names();
    private final Class<?> tokenType = PlatformStop.tokenType();
    private final Launcher launcher;
    /** Whether the project sets the seed itself. */
    private final boolean seeded;
    /** A {@code LauncherSession}; null before version 1.8. */
    private AutoCloseable session;

    public JUnitPlatformDriver(ClassLoader project) throws Exception {
        this.project = project;
        // Not within Surroundings, because the set-up of session listeners must stay for all runs.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(project);
        try {
            launcher = openLauncher();
            seeded = LauncherDiscoveryRequestBuilder.request().build().getConfigurationParameters().get(SEED).isPresent();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Opens a session, if the version has sessions. Otherwise the launcher would open one for each request and look for engines again. */
    private Launcher openLauncher() throws Exception {
        try {
            session = (AutoCloseable) LauncherFactory.class.getMethod("openSession").invoke(null);
        } catch (NoSuchMethodException e) {
            return LauncherFactory.create();
        }
        // Through the interface, because the class that implements it is not public.
        Class<?> type = Class.forName("org.junit.platform.launcher.LauncherSession", true, LauncherFactory.class.getClassLoader());
        return (Launcher) type.getMethod("getLauncher").invoke(session);
    }

    @Override
    public String[] discover(String[] classNames, String groups, String excludedGroups) {
        try (Surroundings ignored = new Surroundings(project)) {
            List<DiscoverySelector> selectors = new ArrayList<>();
            for (String className : classNames) {
                selectors.add(DiscoverySelectors.selectClass(className));
            }
            LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request().selectors(selectors);
            if (!list(groups).isEmpty()) {
                builder.filters(TagFilter.includeTags(list(groups)));
            }
            if (!list(excludedGroups).isEmpty()) {
                builder.filters(TagFilter.excludeTags(list(excludedGroups)));
            }
            TestPlan plan = launcher.discover(configured(builder));
            List<String> found = new ArrayList<>();
            for (TestIdentifier engine : plan.getRoots()) {
                collect(plan, engine, found);
            }
            return found.toArray(new String[0]);
        }
    }

    /** Surefire separates tag expressions by commas. */
    private static List<String> list(String expressions) {
        List<String> list = new ArrayList<>();
        for (String expression : (expressions == null ? "" : expressions).split(",")) {
            if (!expression.trim().isEmpty()) {
                list.add(expression.trim());
            }
        }
        return list;
    }

    private void collect(TestPlan plan, TestIdentifier identifier, List<String> found) {
        Set<TestIdentifier> children = plan.getChildren(identifier);
        // A container without children is a template or a factory, unless it is an engine without tests, which has no parent.
        if (identifier.isTest() || children.isEmpty() && identifier.getParentId().isPresent()) {
            PlatformName name = new PlatformName(plan, identifier);
            found.add(identifier.getUniqueId());
            found.add(names.unique(identifier.getUniqueId(), name.name));
            found.add(name.className);
        }
        for (TestIdentifier child : children) {
            collect(plan, child, found);
        }
    }

    @Override
    public void run(String[] ids, boolean wholeClasses, boolean stopAtFirstFailure, Listener listener) throws Exception {
        if (ids.length == 0) {
            return;
        }
        try (Surroundings ignored = new Surroundings(project)) {
            Progress progress = new Progress(listener, stopAtFirstFailure);
            for (Set<String> selected : separated(ids)) {
                run(selected, wholeClasses, progress);
            }
            progress.rethrow();
        }
    }

    /**
     * The Vintage engine makes the tests of JUnit 3 and the parameters of JUnit 4 while it discovers. Each of its classes is discovered right before
     * it runs, so that what happens then belongs to that class.
     */
    private static Collection<Set<String>> separated(String[] ids) {
        Map<String, Set<String>> parts = new LinkedHashMap<>();
        for (String id : ids) {
            String part = id.startsWith("[engine:junit-vintage]") ? PlatformRun.topLevel(id) : "";
            parts.computeIfAbsent(part, key -> new LinkedHashSet<>()).add(id);
        }
        return parts.values();
    }

    private void run(Set<String> selected, boolean wholeClasses, Progress progress) throws Exception {
        if (progress.stopped()) {
            return;
        }
        PlatformRun run = wholeClasses
            ? executeClasses(selected, new PlatformRun(selected, progress, names, true, false))
            : execute(selected, new PlatformRun(selected, progress, names, false, false));
        Set<String> renamed = run.renamed();
        if (!renamed.isEmpty()) {
            Set<String> runners = new LinkedHashSet<>();
            for (String id : renamed) {
                runners.add(PlatformRun.runner(id));
            }
            execute(runners, new PlatformRun(renamed, progress, names, false, true));
        }
        run.end();
    }

    private PlatformRun execute(Set<String> ids, PlatformRun run) throws Exception {
        return execute(PlatformSelectors.of(ids), id -> true, run);
    }

    /** Runs the classes of these tests. A test of theirs that is not selected (it has another tag, say) is left out, as surefire does it. */
    private PlatformRun executeClasses(Set<String> ids, PlatformRun run) throws Exception {
        Set<String> selected = new HashSet<>();
        Set<String> classes = new LinkedHashSet<>();
        for (String id : ids) {
            PlatformRun.addWithAncestors(id, selected);
            classes.add(PlatformRun.topLevel(id));
        }
        List<DiscoverySelector> selectors = new ArrayList<>();
        classes.forEach(id -> selectors.add(DiscoverySelectors.selectUniqueId(id)));
        return execute(selectors, id -> selected.contains(id) || PlatformRun.isInstead(id), run);
    }

    /** @param takes whether a test, or a template of tests, is to run */
    private PlatformRun execute(List<DiscoverySelector> selectors, Predicate<String> takes, PlatformRun run) throws Exception {
        PlatformStop stop = PlatformStop.create(run.progress, tokenType);
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request().selectors(selectors).filters(stop.filter(takes));
        // A test whose id does not resolve is reported as skipped. By default the launcher would run no test at all.
        builder.configurationParameter("junit.platform.discovery.listener.default", "logging");
        run.stop = stop;
        stop.execute(launcher, configured(builder), run);
        return run;
    }

    /**
     * The project's own configuration (junit-platform.properties, system properties), except that tests run one after the other, and that a random
     * order is always the same.
     */
    private LauncherDiscoveryRequest configured(LauncherDiscoveryRequestBuilder builder) {
        builder.configurationParameter("junit.jupiter.execution.parallel.enabled", "false");
        builder.configurationParameter("junit.vintage.execution.parallel.enabled", "false");
        if (!seeded) {
            builder.configurationParameter(SEED, "0");
        }
        return builder.build();
    }

    @Override
    public void close() throws Exception {
        if (session != null) {
            try (Surroundings ignored = new Surroundings(project)) {
                session.close();
            }
        }
    }
}
