// Knows the modules whose code is analyzed, and which one is the last to reach the goal.
package io.github.reneri.maven;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

final class Modules {
    private final MavenSession session;
    private final MojoExecution execution;

    Modules(MavenSession session, MojoExecution execution) {
        this.session = session;
        this.execution = execution;
    }

    /**
     * Notes that `module` has reached the goal, and returns whether it was the last one that will.
     *
     * A goal on the command line reaches all modules; a bound goal reaches those that bind it. Maven may
     * build modules at the same time, so the last one need not be the last in the list.
     */
    boolean isLast(MavenProject module, boolean isSkipped) {
        synchronized (session) {
            notes(module).put(key(), isSkipped);
            List<MavenProject> bound = bound();
            List<MavenProject> coming = bound.isEmpty() ? session.getProjects() : bound;
            return coming.stream().allMatch(other -> notes(other).containsKey(key()));
        }
    }

    /**
     * Whether a module is left out, by its configuration if it has reached the goal, or else by its
     * property.
     */
    private boolean isSkipped(MavenProject module) {
        return Boolean.TRUE.equals(notes(module).get(key()))
            || "true".equals(module.getProperties().getProperty("reneri.skip"));
    }

    /**
     * Returns the modules with code: of all that are built (`-pl` and the like leave some out), or, if
     * only modules with code bind the goal, of these.
     */
    List<MavenProject> wanted() {
        List<MavenProject> bound = bound();
        boolean isForAll = bound.isEmpty() || bound.stream().anyMatch(module -> "pom".equals(module.getPackaging()));
        List<MavenProject> wanted = new ArrayList<>(isForAll ? session.getProjects() : bound);
        wanted.removeIf(module -> !Sources.hasCode(module) || isSkipped(module));
        return wanted;
    }

    /** Returns `--module` for each module that is wanted, or nothing if all are. */
    List<String> arguments() {
        List<MavenProject> all = new ArrayList<>(session.getAllProjects());
        all.removeIf(module -> !Sources.hasCode(module));
        List<String> arguments = new ArrayList<>();
        if (wanted().size() < all.size()) {
            wanted().forEach(module -> arguments.add("--module=" + module.getArtifactId()));
        }
        return arguments;
    }

    /** Tests of one module may reach the code of another. */
    boolean haveTests() {
        return session.getAllProjects().stream().anyMatch(Sources::hasTests);
    }

    /** The same goal may run again: `mvn verify install`. */
    void forget() {
        session.getProjects().forEach(module -> notes(module).remove(key()));
    }

    private List<MavenProject> bound() {
        List<MavenProject> bound = new ArrayList<>(session.getProjects());
        bound.removeIf(module -> !isBound(module));
        return bound;
    }

    private boolean isBound(MavenProject module) {
        Plugin plugin = module.getPlugin(execution.getPlugin().getKey());
        PluginExecution bound = plugin == null ? null : plugin.getExecutionsAsMap().get(execution.getExecutionId());
        return bound != null && bound.getGoals().contains(execution.getGoal()) && !"none".equals(bound.getPhase());
    }

    private Map<String, Object> notes(MavenProject module) {
        return session.getPluginContext(execution.getMojoDescriptor().getPluginDescriptor(), module);
    }

    private String key() {
        return "reneri:" + execution.getExecutionId();
    }
}
