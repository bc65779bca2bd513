// The projects that Maven read: refuses what is not one module, and takes plugins out that have no part in compiling and testing.
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

/** Registered by `META-INF/plexus/components.xml`. */
public class Reactor extends AbstractMavenLifecycleParticipant {
    /** Plugins to leave out, `artifactId` or `artifactId:goal`, separated by commas. */
    static final String LEFT_OUT = "RENERI_LEFT_OUT_PLUGINS";

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        List<MavenProject> projects = session.getProjects();
        if (projects.size() > 1) {
            List<String> modules = new ArrayList<>();
            for (MavenProject project : projects) {
                if (!"pom".equals(project.getPackaging())) {
                    modules.add(project.getBasedir().getAbsolutePath());
                }
            }
            Handover.put("modules", modules);
            Handover.problem("several-modules", "This is a build of " + projects.size() + " modules.");
            throw new MavenExecutionException("reneri analyzes one module at a time.", session.getRequest().getPom());
        }
        MavenProject project = projects.get(0);
        if ("pom".equals(project.getPackaging())) {
            Handover.problem("no-code", "The packaging of " + project.getArtifactId() + " is `pom`: it has no classes and no tests.");
            throw new MavenExecutionException("There are no classes and no tests.", project.getFile());
        }
        leaveOutErrorProne(project);
        String leftOut = System.getenv(LEFT_OUT);
        if (leftOut != null) {
            leaveOut(project, new HashSet<>(Arrays.asList(leftOut.split(","))));
        }
    }

    /** As a compiler of its own it brings a javac that reads no class files of newer JDKs; the JDK's javac makes the same classes. */
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
