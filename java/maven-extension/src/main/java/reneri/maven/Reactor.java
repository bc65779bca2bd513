// Names the modules that Maven has read, and removes plugins that neither compile nor test.
package reneri.maven;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/** `META-INF/plexus/components.xml` registers it. */
public class Reactor extends AbstractMavenLifecycleParticipant {
    /** Plugins to leave out: `artifactId` or `artifactId:goal`, separated by commas. */
    static final String LEFT_OUT = "RENERI_LEFT_OUT_PLUGINS";

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        Handover.leave();
        MavenProject top = session.getTopLevelProject();
        Handover.put("name", top.getName());
        List<MavenProject> modules = new ArrayList<>(session.getProjects());
        modules.removeIf(Watch::isAggregator);
        if (modules.isEmpty()) {
            Handover.problem("no-code", "The packaging of " + top.getArtifactId() + " is `pom`: it has no classes and no tests.");
            throw new MavenExecutionException("There are no classes and no tests.", top.getFile());
        }
        String leftOut = System.getenv(LEFT_OUT);
        for (MavenProject project : session.getProjects()) {
            Required.note(project, session);
            leaveOutErrorProne(project);
            if (leftOut != null) {
                leaveOut(project, new HashSet<>(Arrays.asList(leftOut.split(","))));
            }
        }
        for (MavenProject module : modules) {
            Handover.enter(module);
            Handover.put("artifactId", module.getArtifactId());
        }
        Handover.leave();
        Handover.put("poms", poms(session));
        Handover.write();
    }

    /** Includes those of parents, wherever they are. */
    private static List<Object> poms(MavenSession session) {
        List<Object> poms = new ArrayList<>();
        for (MavenProject project : session.getProjects()) {
            for (MavenProject pom = project; pom != null; pom = pom.getParent()) {
                if (pom.getFile() != null && !poms.contains(pom.getFile())) {
                    poms.add(pom.getFile());
                }
            }
        }
        return poms;
    }

    @Override
    public void afterSessionEnd(MavenSession session) {
        Handover.write();
    }

    /**
     * Brings its own javac, which cannot read class files of newer JDKs. The JDK's javac makes the
     * same classes.
     */
    private static void leaveOutErrorProne(MavenProject project) {
        Plugin compiler = project.getPlugin("org.apache.maven.plugins:maven-compiler-plugin");
        if (compiler != null) {
            compiler.getDependencies().removeIf(dependency -> "com.google.errorprone".equals(dependency.getGroupId())
                || "plexus-compiler-javac-errorprone".equals(dependency.getArtifactId()));
        }
    }

    private static void leaveOut(MavenProject project, Set<String> leftOut) {
        for (Plugin plugin : project.getBuild().getPlugins()) {
            boolean whole = leftOut.contains(plugin.getArtifactId());
            for (Iterator<PluginExecution> executions = plugin.getExecutions().iterator(); executions.hasNext(); ) {
                PluginExecution execution = executions.next();
                List<String> goals = new ArrayList<>(execution.getGoals());
                goals.removeIf(goal -> whole || leftOut.contains(plugin.getArtifactId() + ":" + goal));
                if (goals.isEmpty() && !execution.getGoals().isEmpty()) {
                    executions.remove();
                } else {
                    execution.setGoals(goals);
                }
            }
            plugin.flushExecutionMap();
        }
    }
}
