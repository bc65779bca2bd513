// Adds a note for each demand on Maven or Java that is not met and that the project's enforcer
// plugin would check.
package reneri.maven;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.maven.artifact.versioning.ArtifactVersion;
import org.apache.maven.artifact.versioning.DefaultArtifactVersion;
import org.apache.maven.artifact.versioning.InvalidVersionSpecificationException;
import org.apache.maven.artifact.versioning.VersionRange;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/** The plugin itself does not run, because most of its rules do not concern the tests. */
final class Required {
    private Required() {}

    static void note(MavenProject project, MavenSession session) {
        Plugin enforcer = project.getPlugin("org.apache.maven.plugins:maven-enforcer-plugin");
        if (enforcer == null) {
            return;
        }
        List<Object> configurations = new ArrayList<>();
        configurations.add(enforcer.getConfiguration());
        for (PluginExecution execution : enforcer.getExecutions()) {
            configurations.add(execution.getConfiguration());
        }
        String maven = session.getSystemProperties().getProperty("maven.version");
        for (Object configuration : configurations) {
            note(configuration, "Maven", maven);
            note(configuration, "Java", System.getProperty("java.version").replace('_', '-'));
        }
    }

    private static void note(Object configuration, String what, String version) {
        if (configuration == null || version == null) {
            return;
        }
        String rule = "require" + what + "Version";
        Matcher matcher = Pattern.compile("<" + rule + "[^>]*>.*?<version>([^<]*)</version>.*?</" + rule + ">", Pattern.DOTALL)
            .matcher(configuration.toString());
        while (matcher.find()) {
            String required = matcher.group(1).trim();
            if (!allows(required, version)) {
                Handover.note("The project asks for " + what + " " + required + " (" + rule + "); " + what + " " + version + " builds it.");
            }
        }
    }

    /** A version alone is the lowest one that is allowed, as the enforcer reads it. */
    private static boolean allows(String required, String version) {
        ArtifactVersion actual = new DefaultArtifactVersion(version);
        try {
            VersionRange range = VersionRange.createFromVersionSpec(required);
            ArtifactVersion lowest = range.getRecommendedVersion();
            return lowest == null ? range.containsVersion(actual) : lowest.compareTo(actual) <= 0;
        } catch (InvalidVersionSpecificationException e) {
            return true;
        }
    }
}
