// Turns the settings of the running build into arguments for reneri, so that users need not repeat
// them.
package io.github.reneri.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.logging.Log;

final class MavenArguments {
    /**
     * Properties of this build that do not concern how the project is compiled. reneri runs the
     * tests itself.
     */
    private static final List<String> PROPERTIES_LEFT_OUT = Arrays.asList("skipTests", "maven.test.skip", "style.color");
    /**
     * Properties of this plugin, and those that Maven 4 sets from its own `maven-user.properties`
     * at each start.
     */
    private static final List<String> PREFIXES_LEFT_OUT =
        Arrays.asList("reneri.", "session.", "maven.installation.", "maven.project.", "maven.user.");

    private MavenArguments() {
    }

    /**
     * Returns the folder of the POM with which the build began, or its file if it is not called
     * `pom.xml`.
     */
    static File project(MavenSession session) {
        File pom = session.getRequest().getPom();
        boolean isUsual = pom == null || "pom.xml".equals(pom.getName());
        return isUsual ? new File(session.getExecutionRootDirectory()) : pom.getAbsoluteFile();
    }

    /** `given` are the user's own arguments, which take precedence. */
    static List<String> of(MavenSession session, List<String> given, Log log) {
        MavenExecutionRequest request = session.getRequest();
        List<String> arguments = new ArrayList<>();
        if (request.isOffline() && !given.contains("--offline")) {
            arguments.add("--offline");
        }
        boolean saysHowMuch = given.stream().anyMatch(Arrays.asList("--quiet", "-q", "--verbose", "-v")::contains);
        if (!saysHowMuch && log.isDebugEnabled()) {
            arguments.add("--verbose");
        } else if (!saysHowMuch && !log.isInfoEnabled()) {
            arguments.add("--quiet");
        }
        String color = session.getUserProperties().getProperty("style.color");
        boolean saysColor = given.stream().anyMatch(argument -> argument.startsWith("--color"));
        if (!saysColor && ("always".equals(color) || "never".equals(color))) {
            arguments.add("--color=" + color);
        }
        for (String argument : forMaven(session, request)) {
            arguments.add("--maven-arg=" + argument);
        }
        return arguments;
    }

    private static List<String> forMaven(MavenSession session, MavenExecutionRequest request) {
        List<String> arguments = new ArrayList<>();
        if (!request.isRecursive()) {
            arguments.add("--non-recursive");
        }
        String user = System.getProperty("user.home") + "/.m2/";
        String installation = System.getProperty("maven.conf", System.getProperty("maven.home") + "/conf") + "/";
        addFile(arguments, "--settings=", request.getUserSettingsFile(), user + "settings.xml");
        addFile(arguments, "--global-settings=", request.getGlobalSettingsFile(), installation + "settings.xml");
        addFile(arguments, "--toolchains=", request.getUserToolchainsFile(), user + "toolchains.xml");
        List<String> profiles = new ArrayList<>(request.getActiveProfiles());
        request.getInactiveProfiles().forEach(profile -> profiles.add("!" + profile));
        if (!profiles.isEmpty()) {
            arguments.add("-P" + String.join(",", profiles));
        }
        Map<Object, Object> properties = new TreeMap<>(session.getUserProperties());
        properties.forEach((name, value) -> {
            String text = name.toString();
            if (!PROPERTIES_LEFT_OUT.contains(text) && PREFIXES_LEFT_OUT.stream().noneMatch(text::startsWith)) {
                arguments.add("-D" + text + "=" + value);
            }
        });
        return arguments;
    }

    /** Passes a file on only if it is not where every Maven looks for it. */
    private static void addFile(List<String> arguments, String option, File file, String usual) {
        if (file != null && file.isFile() && !file.getAbsoluteFile().equals(new File(usual).getAbsoluteFile())) {
            arguments.add(option + file.getAbsolutePath());
        }
    }
}
