// The goal: decides whether to run, runs reneri, and turns its exit code into the result of the
// build.
package io.github.reneri.maven;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/**
 * Runs <code>reneri analyze</code> on the project, once for all modules. It finds code that your tests
 * run but do not check, explains why, and writes the missing assertion. Arguments are passed on as they
 * are; <code>reneri analyze --help</code> lists them.
 *
 * It is no aggregator, although it runs once. Before each aggregator, Maven 3 sets the scopes of all
 * modules, and modules that are built at the same time (<code>-T</code>) lose their test dependencies
 * (MNG-6843, apache/maven#8194).
 */
@Mojo(name = "analyze", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public class AnalyzeMojo extends AbstractMojo {
    /** reneri sets it for the Maven that it asks how the tests run. */
    private static final String ASKED_BY_RENERI = "RENERI_HANDOVER";

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    private MavenSession session;

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
    private MojoExecution execution;

    /**
     * Arguments of <code>reneri analyze</code>, one in each element:
     * <code>&lt;argument&gt;--runs=20&lt;/argument&gt;</code>.
     */
    @Parameter
    private List<String> arguments = new ArrayList<>();

    /**
     * More arguments, for the command line: <code>-Dreneri.args="--runs 20 --format html"</code>.
     * The last one of two equal options wins.
     */
    @Parameter(property = "reneri.args")
    private String args = "";

    /**
     * The program. Without this, the plugin looks for <code>reneri</code> in the folders of
     * <code>PATH</code>.
     */
    @Parameter(property = "reneri.binary")
    private File binary;

    /** Leaves this module out. If all modules are left out, nothing is analyzed. */
    @Parameter(property = "reneri.skip", defaultValue = "false")
    private boolean skip;

    /** As for surefire: nothing is analyzed if the goal is bound to a phase. */
    @Parameter(property = "skipTests", defaultValue = "false")
    private boolean skipTests;

    /** As for surefire: nothing is analyzed if the goal is bound to a phase. */
    @Parameter(property = "maven.test.skip", defaultValue = "false")
    private boolean skipTestClasses;

    @Override
    public void execute() throws MojoExecutionException, MojoFailureException {
        if (System.getenv(ASKED_BY_RENERI) != null) {
            getLog().info("reneri itself runs this build: it does not analyze within its analysis.");
            return;
        }
        boolean isBound = execution.getSource() == MojoExecution.Source.LIFECYCLE;
        String skipped = skipped(isBound);
        if (skipped != null) {
            getLog().info(skipped);
        }
        Modules modules = new Modules(session, execution);
        if (!modules.isLast(project, skipped != null)) {
            if (isBound && skipped == null) {
                getLog().info("reneri runs once for all modules: with the last one of them.");
            }
            return;
        }
        List<MavenProject> wanted = modules.wanted();
        List<String> own = modules.arguments();
        boolean haveTests = modules.haveTests();
        modules.forget();
        if (skipped != null && wanted.isEmpty()) {
            return;
        }
        if (wanted.isEmpty()) {
            getLog().info("There is nothing to analyze: no project of this build has code, or all that have some are left out.");
        } else if (!haveTests) {
            getLog().info("There is nothing to analyze: no project of this build has tests.");
        } else {
            analyze(own);
        }
    }

    /**
     * Returns why this module is left out, or `null`. An explicit `mvn reneri:analyze` runs even
     * with `-DskipTests`.
     */
    private String skipped(boolean isBound) {
        if (skip) {
            return "reneri is skipped (reneri.skip).";
        }
        boolean withoutTests = isBound && (skipTests || skipTestClasses);
        return withoutTests ? "reneri is skipped, as tests are (" + (skipTests ? "skipTests" : "maven.test.skip") + ")." : null;
    }

    private void analyze(List<String> modules) throws MojoExecutionException, MojoFailureException {
        List<String> given = new ArrayList<>(arguments);
        given.removeAll(Arrays.asList(null, ""));
        given.addAll(Words.of(args == null ? "" : args));
        File root = MavenArguments.project(session);
        List<String> command = new ArrayList<>();
        File program = Binary.find(binary);
        command.addAll(Arrays.asList(program.getPath(), "analyze", "--project", root.getPath()));
        command.addAll(modules);
        command.addAll(MavenArguments.of(session, given, getLog()));
        command.addAll(given);
        getLog().debug("Running " + command);
        File folder = new File(session.getExecutionRootDirectory());
        Said said = new Said(getLog(), folder.toPath());
        try {
            Binary.check(program, execution.getVersion(), getLog());
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder);
            useTheSameMaven(builder.environment());
            end(Running.toItsEnd(builder, said), said);
        } catch (IOException error) {
            throw new MojoExecutionException(program + " cannot be started: " + error.getMessage(), error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new MojoExecutionException("reneri was interrupted.", error);
        }
    }

    /** reneri uses the project's wrapper, or `mvn` from the PATH. */
    private static void useTheSameMaven(Map<String, String> environment) {
        File bin = new File(System.getProperty("maven.home", ""), "bin");
        if (new File(bin, "mvn").isFile()) {
            environment.merge("PATH", bin.getPath(), (path, first) -> first + File.pathSeparator + path);
        }
        File java = new File(System.getProperty("java.home"));
        // Java 8 names the JRE inside of its JDK.
        environment.put("JAVA_HOME", "jre".equals(java.getName()) ? java.getParent() : java.getPath());
        // Two Mavens cannot wait for a debugger at the same port.
        environment.remove("MAVEN_DEBUG_OPTS");
    }

    /** The exit codes are documented in reneri's README. */
    private void end(int code, Said said) throws MojoExecutionException, MojoFailureException {
        String error = said.error();
        switch (code) {
            case 0:
                return;
            case 2:
                throw new MojoFailureException("The tests miss changes, and `--fail-on` or `--max-undetected` says that this fails the build. Report: " + said.report());
            case 3:
            case 4:
            case 5:
                throw new MojoFailureException(error.isEmpty() ? "reneri ended with exit code " + code + "." : error);
            default:
                throw new MojoExecutionException(error.isEmpty() ? "reneri ended with exit code " + code + "." : error);
        }
    }
}
