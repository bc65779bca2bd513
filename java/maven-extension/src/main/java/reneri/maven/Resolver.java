// Resolves artifacts and their dependencies to files, through Maven's own resolver with its mirrors
// and caches.
package reneri.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.DependencyManagement;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.eclipse.aether.util.filter.DependencyFilterUtils;

final class Resolver {
    private final RepositorySystem repositories;
    private final MavenSession session;
    private final MavenProject project;
    /**
     * The files by `groupId:artifactId[:classifier]`. The highest of several versions wins, as in
     * surefire.
     */
    private final Map<String, Artifact> artifacts = new LinkedHashMap<>();

    Resolver(RepositorySystem repositories, MavenSession session, MavenProject project) {
        this.repositories = repositories;
        this.session = session;
        this.project = project;
    }

    void add(String groupId, String artifactId, String classifier, String type, String version) throws MojoExecutionException {
        Artifact root = new DefaultArtifact(groupId, artifactId, classifier == null ? "" : classifier, type == null ? "jar" : type, version);
        CollectRequest collect = new CollectRequest();
        collect.setRoot(new Dependency(root, "runtime"));
        collect.setRepositories(project.getRemoteProjectRepositories());
        DependencyRequest request = new DependencyRequest(collect, DependencyFilterUtils.classpathFilter("runtime"));
        try {
            for (ArtifactResult result
                : repositories.resolveDependencies(session.getRepositorySession(), request).getArtifactResults()) {
                Artifact artifact = result.getArtifact();
                Artifact before = artifacts.get(key(artifact));
                if (before == null || newer(artifact.getVersion(), before.getVersion())) {
                    artifacts.put(key(artifact), artifact);
                }
            }
        } catch (DependencyResolutionException e) {
            Handover.problem("not-resolved", root + " is needed to run the tests and cannot be had: " + e.getMessage());
            throw new MojoExecutionException(e.getMessage(), e);
        }
    }

    static boolean newer(String version, String than) {
        return new ComparableVersion(version).compareTo(new ComparableVersion(than)) > 0;
    }

    private static String key(Artifact artifact) {
        String key = artifact.getGroupId() + ":" + artifact.getArtifactId();
        return artifact.getClassifier().isEmpty() ? key : key + ":" + artifact.getClassifier();
    }

    void without(Set<String> keys) {
        artifacts.keySet().removeAll(keys);
    }

    List<File> files() {
        List<File> files = new ArrayList<>();
        for (Artifact artifact : artifacts.values()) {
            files.add(artifact.getFile());
        }
        return files;
    }

    /**
     * Returns the version that a plugin's own dependency element names, or else the managed one.
     */
    String version(Parameters dependency) throws MojoExecutionException {
        String version = dependency.text("version");
        if (version != null && !version.isEmpty()) {
            return version;
        }
        DependencyManagement management = project.getDependencyManagement();
        if (management != null) {
            for (org.apache.maven.model.Dependency managed : management.getDependencies()) {
                if (managed.getGroupId().equals(dependency.text("groupId"))
                    && managed.getArtifactId().equals(dependency.text("artifactId"))) {
                    return managed.getVersion();
                }
            }
        }
        throw new MojoExecutionException(
            "No version is known of " + dependency.text("groupId") + ":" + dependency.text("artifactId") + ".");
    }
}
