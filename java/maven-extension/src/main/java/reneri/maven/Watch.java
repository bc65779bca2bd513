// Watches mojos that are about to run: hands over how tests are compiled and run, and keeps
// surefire from running them.
package reneri.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;
import org.eclipse.aether.RepositorySystem;

/** `META-INF/plexus/components.xml` registers it and fills its fields. */
public class Watch implements MojoExecutionListener {
    /** Parameters of maven-compiler-plugin that influence how a source is compiled. */
    private static final String[] COMPILER = {
        "skip", "encoding", "source", "target", "release", "testSource", "testTarget", "testRelease", "parameters", "proc",
        "enablePreview", "compilerArgs", "compilerArgument", "compilerArguments", "testCompilerArgument",
        "testCompilerArguments", "annotationProcessors", "testIncludes", "testExcludes", "generatedTestSourcesDirectory"};

    private RepositorySystem repositories;
    private ToolchainManager toolchains;

    @Override
    public void beforeMojoExecution(MojoExecutionEvent event) throws MojoExecutionException {
        MojoExecution execution = event.getExecution();
        if (isAggregator(event.getProject()) && !isTest(execution)) {
            Handover.leave();
            return;
        }
        Handover.enter(event.getProject());
        Handover.put("artifactId", event.getProject().getArtifactId());
        Mojos.begin(event.getProject(), execution);
        if (!"org.apache.maven.plugins".equals(execution.getGroupId())) {
            return;
        }
        Parameters parameters = new Parameters(event.getMojo());
        if ("maven-compiler-plugin".equals(execution.getArtifactId())) {
            CompilerLevel.raise(parameters, toolchain(event.getSession()) != null);
            if ("javac-with-errorprone".equals(parameters.text("compilerId"))) {
                // Reactor removed it.
                parameters.set("compilerId", "javac");
                parameters.set("forceJavacCompilerUse", false);
            }
            if ("testCompile".equals(execution.getGoal())) {
                testCompile(event, parameters);
            }
            handOverProject(event.getProject(), event.getSession());
        } else if (isTest(execution)) {
            try {
                Rewritten.compare(event.getProject());
                surefire(event, parameters);
            } finally {
                handOverProject(event.getProject(), event.getSession());
                Handover.write();
            }
        }
    }

    @Override
    public void afterMojoExecutionSuccess(MojoExecutionEvent event) {
        MojoExecution execution = event.getExecution();
        if (isAggregator(event.getProject())) {
            return;
        }
        Mojos.end(event.getProject(), execution);
        if ("maven-compiler-plugin".equals(execution.getArtifactId())) {
            compilation(event, new Parameters(event.getMojo()));
            if ("testCompile".equals(execution.getGoal())) {
                Rewritten.compiled(event.getProject());
            }
        }
    }

    /** A project that only holds modules together or passes on settings. Goals may be bound to it all the same. */
    static boolean isAggregator(MavenProject project) {
        return "pom".equals(project.getPackaging());
    }

    private static boolean isTest(MojoExecution execution) {
        return "maven-surefire-plugin".equals(execution.getArtifactId()) && "test".equals(execution.getGoal());
    }

    /** Hands over how it compiled. The paths are known only after compilation. */
    private void compilation(MojoExecutionEvent event, Parameters parameters) {
        Map<String, Object> compilation = new LinkedHashMap<>();
        compilation.put("goal", event.getExecution().getGoal());
        compilation.put("settings", parameters.all(COMPILER));
        compilation.putAll(parameters.all("compilerId", "debug", "debuglevel", "executable", "skipMain"));
        compilation.put("classPath", parameters.call("getClasspathElements"));
        compilation.put("modulePath", parameters.call("getModulepathElements"));
        compilation.put("hasProcessorPath", parameters.get("annotationProcessorPaths") != null);
        compilation.put("hasToolchain", toolchain(event.getSession()) != null || parameters.get("jdkToolchain") != null);
        Handover.add("compilations", compilation);
    }

    @Override
    public void afterExecutionFailure(MojoExecutionEvent event) {}

    private Toolchain toolchain(MavenSession session) {
        return toolchains.getToolchainFromBuildContext("jdk", session);
    }

    private void testCompile(MojoExecutionEvent event, Parameters parameters) throws MojoExecutionException {
        if (Handover.has("testCompile")) {
            return; // Only the first execution counts; a second one compiles something special.
        }
        Map<String, Object> compiler = parameters.all(COMPILER);
        Object processors = parameters.get("annotationProcessorPaths");
        if (processors instanceof Iterable) {
            Resolver resolver = new Resolver(repositories, event.getSession(), event.getProject());
            for (Object processor : (Iterable<?>) processors) {
                Parameters dependency = new Parameters(processor);
                resolver.add(
                    dependency.text("groupId"), dependency.text("artifactId"), dependency.text("classifier"),
                    dependency.text("type"), resolver.version(dependency));
            }
            compiler.put("processorPath", resolver.files());
        }
        Handover.put("testCompile", compiler);
    }

    private void surefire(MojoExecutionEvent event, Parameters parameters) throws MojoExecutionException {
        MojoExecution execution = event.getExecution();
        boolean skipped = parameters.isTrue("skip") || parameters.isTrue("skipTests") || parameters.isTrue("skipExec");
        // This comes first, so that no test runs whatever happens below.
        boolean kept = parameters.set("skipTests", true) | parameters.set("skip", true);
        if (!kept) {
            // This concerns the whole build, so Maven has to stop here.
            Handover.leave();
            Handover.problem("unknown-surefire",
                "maven-surefire-plugin " + execution.getVersion() + " has no parameter that keeps it from running the tests.");
            throw new MojoExecutionException("reneri does not know this maven-surefire-plugin.");
        }
        if (skipped) {
            Handover.put("skippedExecution", execution.getExecutionId());
            return;
        }
        try {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("id", execution.getExecutionId());
            values.put("engine", new TestEngine(event, parameters, repositories).decide());
            values.put("surefire", settings(event, parameters));
            Handover.add("executions", values);
        } catch (MojoExecutionException e) {
            // The tests of this module cannot run; those of other modules can.
            Handover.problem("unknown", "The tests of " + event.getProject().getArtifactId() + " cannot be run: " + e.getMessage());
        }
    }

    private Map<String, Object> settings(MojoExecutionEvent event, Parameters parameters) throws MojoExecutionException {
        // Surefire's own choice respects its parameter `jdkToolchain`.
        Object chosen = parameters.call("getToolchain");
        Toolchain toolchain = chosen instanceof Toolchain ? (Toolchain) chosen : toolchain(event.getSession());
        Map<String, Object> surefire = parameters.all(
            "argLine", "systemProperties", "systemPropertyVariables", "systemPropertiesFile", "promoteUserPropertiesToSystemProperties",
            "environmentVariables", "excludedEnvironmentVariables", "workingDirectory", "enableAssertions", "includes", "excludes",
            "includesFile", "excludesFile", "test", "groups", "excludedGroups", "testClassesDirectory", "classesDirectory",
            "classpathDependencyExcludes", "classpathDependencyScopeExclude", "additionalClasspathElements", "jvm", "properties",
            "dependenciesToScan", "runOrder", "reuseForks", "forkMode");
        surefire.put("version", event.getExecution().getVersion());
        surefire.put("defaultIncludes", parameters.call("getDefaultIncludes"));
        surefire.put("modulePath", ModulePath.of(parameters));
        if (toolchain != null) {
            surefire.put("toolchainJava", toolchain.findTool("java"));
        }
        Object extra = parameters.get("additionalClasspathDependencies");
        if (extra instanceof Iterable) {
            Resolver resolver = new Resolver(repositories, event.getSession(), event.getProject());
            for (Object item : (Iterable<?>) extra) {
                Parameters dependency = new Parameters(item);
                resolver.add(
                    dependency.text("groupId"), dependency.text("artifactId"), dependency.text("classifier"),
                    dependency.text("type"), resolver.version(dependency));
            }
            surefire.put("additionalFiles", resolver.files());
        }
        return surefire;
    }

    private static void handOverProject(MavenProject project, MavenSession session) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", project.getName());
        values.put("artifactId", project.getArtifactId());
        values.put("baseDirectory", project.getBasedir());
        values.put("buildDirectory", new File(project.getBuild().getDirectory()));
        values.put("outputDirectory", new File(project.getBuild().getOutputDirectory()));
        values.put("testOutputDirectory", new File(project.getBuild().getTestOutputDirectory()));
        values.put("sourceRoots", project.getCompileSourceRoots());
        values.put("testSourceRoots", project.getTestCompileSourceRoots());
        values.put("properties", texts(project.getProperties()));
        values.put("userProperties", texts(session.getUserProperties()));
        values.put("localRepository", session.getLocalRepository().getBasedir());
        values.put("javaHome", System.getProperty("java.home"));
        List<Object> artifacts = new ArrayList<>();
        for (Artifact artifact : project.getArtifacts()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("groupId", artifact.getGroupId());
            one.put("artifactId", artifact.getArtifactId());
            one.put("type", artifact.getType());
            one.put("classifier", artifact.getClassifier());
            one.put("version", artifact.getBaseVersion());
            one.put("scope", artifact.getScope());
            one.put("file", artifact.getFile());
            one.put("onClassPath", artifact.getArtifactHandler().isAddedToClasspath());
            artifacts.add(one);
        }
        values.put("artifacts", artifacts);
        Handover.put("project", values);
    }

    /** Plugins put values of all types into properties. */
    private static Map<String, String> texts(Map<?, ?> properties) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : properties.entrySet()) {
            texts.put(String.valueOf(entry.getKey()), String.valueOf(entry.getValue()));
        }
        return texts;
    }
}
