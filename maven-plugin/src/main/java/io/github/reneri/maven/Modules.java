// The modules of a build: whose code is analyzed, and which of them is the last one to reach the goal.
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
     * Notes that `module` has come to the goal, and says whether it was the last of all that will.
     *
     * A goal that is named on the command line comes to all of them, one that is bound to those that have it. Modules may also be built at the same
     * time; so the last one is not the one that stands last in the list.
     */
    boolean isLast(MavenProject module, boolean isSkipped) {
        synchronized (session) {
            notes(module).put(key(), isSkipped);
            List<MavenProject> bound = bound();
            List<MavenProject> coming = bound.isEmpty() ? session.getProjects() : bound;
            return coming.stream().allMatch(other -> notes(other).containsKey(key()));
        }
    }

    /** Whether the module is to be left out, by what it said when it came to the goal, or by its property where it never comes. */
    private boolean isSkipped(MavenProject module) {
        return Boolean.TRUE.equals(notes(module).get(key()))
            || "true".equals(module.getProperties().getProperty("reneri.skip"));
    }

    /**
     * Those with code: of the modules to be built (`-pl` and the like leave some out), or, where the goal is bound in modules with code only, of these.
     */
    List<MavenProject> wanted() {
        List<MavenProject> bound = bound();
        boolean isForAll = bound.isEmpty() || bound.stream().anyMatch(module -> "pom".equals(module.getPackaging()));
        List<MavenProject> wanted = new ArrayList<>(isForAll ? session.getProjects() : bound);
        wanted.removeIf(module -> !Sources.hasCode(module) || isSkipped(module));
        return wanted;
    }

    /** `--module` for each that is wanted, nothing if those are all. */
    List<String> arguments() {
        List<MavenProject> all = new ArrayList<>(session.getAllProjects());
        all.removeIf(module -> !Sources.hasCode(module));
        List<String> arguments = new ArrayList<>();
        if (wanted().size() < all.size()) {
            wanted().forEach(module -> arguments.add("--module=" + module.getArtifactId()));
        }
        return arguments;
    }

    /** Those of one module may reach the code of another. */
    boolean haveTests() {
        return session.getAllProjects().stream().anyMatch(Sources::hasTests);
    }

    /** The same goal may come again: `mvn verify install`. */
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
