// Chooses the test engine that surefire would choose, and finds the jars that it needs beyond the
// test class path.
package reneri.maven;

import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.zip.ZipFile;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.model.Dependency;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;

/**
 * The order of choice is that of `AbstractSurefireMojo.createProviders` (2.22 and 3.x): a provider
 * named in the plugin's dependencies; the JUnit Platform if its artifacts are there; TestNG; JUnit 4;
 * JUnit 3. One engine is chosen; TestNG also runs the JUnit 4 tests beside its own.
 */
final class TestEngine {
    private static final String PLATFORM = "org.junit.platform:";
    private static final String JUPITER = "org.junit.jupiter";

    private final MojoExecution execution;
    private final Parameters parameters;
    private final MavenProject project;
    private final Resolver resolver;
    /** Versions by `groupId:artifactId`. */
    private final Map<String, String> tests = new HashMap<>();
    private final Map<String, String> plugin = new HashMap<>();

    TestEngine(MojoExecutionEvent event, Parameters parameters, RepositorySystem repositories) {
        this.execution = event.getExecution();
        this.parameters = parameters;
        this.project = event.getProject();
        this.resolver = new Resolver(repositories, event.getSession(), project);
        for (Artifact artifact : project.getArtifacts()) {
            tests.put(artifact.getGroupId() + ":" + artifact.getArtifactId(), artifact.getBaseVersion());
        }
        for (Artifact artifact : execution.getMojoDescriptor().getPluginDescriptor().getArtifacts()) {
            plugin.put(artifact.getGroupId() + ":" + artifact.getArtifactId(), artifact.getBaseVersion());
        }
    }

    Map<String, Object> decide() throws MojoExecutionException {
        String junit = tests.get(or(parameters.text("junitArtifactName"), "junit:junit"));
        if (junit == null) {
            junit = tests.get("junit:junit-dep");
        }
        boolean junit4 = junit != null && Resolver.newer(junit, "4");
        String provider = provider();
        boolean platform = !tests.containsKey(PLATFORM + "junit-platform-runner")
            && (tests.containsKey(PLATFORM + "junit-platform-commons") || plugin.containsKey(PLATFORM + "junit-platform-engine"));
        boolean testng = tests.containsKey(or(parameters.text("testNGArtifactName"), "org.testng:testng"));
        // Surefire below 2.22 does not know the JUnit Platform; below 3.0.0-M, TestNG comes first.
        String version = execution.getVersion();
        boolean knowsPlatform = !Resolver.newer("2.22.0", version);
        boolean testngFirst = !Resolver.newer(version, "2.22.2");
        if (provider != null) {
            platform = provider.contains("junit-platform");
            testng = provider.contains("testng");
        } else if (platform && !knowsPlatform) {
            if (junit4) {
                platform = false;
                Handover.note("maven-surefire-plugin " + version + " runs JUnit 4 tests only; tests of JUnit Jupiter are left out, as in `mvn test`.");
            } else {
                Handover.note("maven-surefire-plugin " + version + " runs no JUnit 5 tests, so `mvn test` runs none; reneri runs them.");
            }
        }
        if (testng && (testngFirst || !platform)) {
            return testNG();
        }
        if (platform) {
            addPlatform(junit);
            return result("JUnitPlatform");
        }
        if (junit == null) {
            Handover.problem("no-framework", "No JUnit is on the test class path of " + project.getArtifactId() + ".");
            throw new MojoExecutionException("There is no test framework that reneri knows.");
        }
        if (!junit4) {
            // JUnit 4 runs JUnit 3 tests. Its jar comes after the project's own, whose
            // `junit.framework` is used.
            resolver.add("junit", "junit", null, null, "4.13.2");
            return result("JUnit3");
        }
        return result("JUnit4");
    }

    private Map<String, Object> testNG() throws MojoExecutionException {
        Artifact testng = project.getArtifactMap().get(or(parameters.text("testNGArtifactName"), "org.testng:testng"));
        if (testng != null && Resolver.newer("6.8", testng.getBaseVersion())) {
            Handover.problem("old-testng", "The tests of " + project.getArtifactId() + " run with TestNG " + testng.getBaseVersion() + ".");
            throw new MojoExecutionException("reneri runs TestNG from version 6.8 on.");
        }
        if (testng != null && tests.containsKey("junit:junit") && !runsJUnit(testng.getFile())) {
            Handover.note("TestNG " + testng.getBaseVersion() + " runs no JUnit tests any more; those of " + project.getArtifactId()
                + " are left out, as in `mvn test`.");
        }
        Map<String, Object> engine = result("TestNG");
        engine.put("parameters", testNGParameters());
        return engine;
    }

    /** Versions above 7.6 do not run JUnit tests. */
    private static boolean runsJUnit(File testng) {
        try (ZipFile jar = new ZipFile(testng)) {
            return jar.getEntry("org/testng/junit/JUnit4TestRunner.class") != null;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns the parameters that surefire passes to TestNG, except those for threads and reports; see
     * `convertTestNGParameters` and TestNG's own command line.
     */
    private Map<String, Object> testNGParameters() {
        Map<String, Object> found = new LinkedHashMap<>();
        Object properties = parameters.get("properties");
        for (String name : new String[] {"listener", "objectfactory", "configfailurepolicy", "skipfailedinvocationcounts", "group-by-instances",
            "dependencyinjectorfactory", "testrunfactory"}) {
            Object value = properties instanceof Map ? ((Map<?, ?>) properties).get(name) : null;
            if (value != null && !value.toString().trim().isEmpty()) {
                // Surefire allows line breaks between the names of listeners.
                found.put(name, value.toString().trim().replaceAll("\\s*,\\s*", ","));
            }
        }
        String factory = parameters.text("objectFactory");
        if (factory != null && !factory.isEmpty()) {
            found.put("objectfactory", factory);
        }
        Object files = parameters.get("suiteXmlFiles");
        String test = parameters.text("test");
        // Surefire ignores the suite files if -Dtest names tests.
        if (files instanceof File[] && ((File[]) files).length > 0 && (test == null || test.isEmpty())) {
            StringJoiner lines = new StringJoiner("\n");
            for (File file : (File[]) files) {
                lines.add(file.getAbsolutePath());
            }
            found.put("suitexmlfiles", lines.toString());
        }
        return found;
    }

    private Map<String, Object> result(String kind) {
        Map<String, Object> engine = new LinkedHashMap<>();
        engine.put("kind", kind);
        engine.put("files", resolver.files());
        return engine;
    }

    /** Returns the artifact id of a provider that the POM names as a dependency of the plugin. */
    private String provider() {
        for (Dependency dependency : execution.getPlugin().getDependencies()) {
            String id = dependency.getArtifactId();
            if (id.startsWith("surefire-junit") || id.startsWith("surefire-testng") || id.equals("junit-platform-surefire-provider")) {
                return id;
            }
        }
        return null;
    }

    private void addPlatform(String junit) throws MojoExecutionException {
        String api = tests.get(JUPITER + ":junit-jupiter-api");
        if (plugin.containsKey(PLATFORM + "junit-platform-engine")) {
            for (Dependency dependency : execution.getPlugin().getDependencies()) {
                if (!dependency.getArtifactId().contains("surefire")) {
                    resolver.add(dependency.getGroupId(), dependency.getArtifactId(), dependency.getClassifier(), dependency.getType(),
                        dependency.getVersion());
                }
            }
        } else {
            if (api != null && !tests.containsKey(JUPITER + ":junit-jupiter-engine")) {
                resolver.add(JUPITER, "junit-jupiter-engine", null, null, api);
                if (junit != null && !tests.containsKey("org.junit.vintage:junit-vintage-engine")) {
                    resolver.add("org.junit.vintage", "junit-vintage-engine", null, null, api);
                }
            }
        }
        if (!tests.containsKey(PLATFORM + "junit-platform-launcher")) {
            String platform = tests.get(PLATFORM + "junit-platform-engine");
            if (platform == null) {
                platform = or(tests.get(PLATFORM + "junit-platform-commons"), plugin.get(PLATFORM + "junit-platform-engine"));
            }
            resolver.add("org.junit.platform", "junit-platform-launcher", null, null, platform);
        }
        resolver.without(tests.keySet());
    }

    private static String or(String value, String otherwise) {
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
