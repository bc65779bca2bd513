//! Finds the lines in the output of a failed Maven run that explain the failure, and advises what
//! to do.

use super::request::MavenRequest;
use crate::base::error::Error;

/// Most lines that are shown.
const SHOWN: usize = 12;

/// Lines that Maven prints after every failure.
const BOILERPLATE: [&str; 6] = [
    "To see the full stack trace",
    "Re-run Maven using the -X",
    "For more information about the errors",
    "[Help ",
    "-> [Help ",
    "After correcting the problems",
];

/// The error for a failed Maven run.
pub(super) fn failure(output: &str, request: &MavenRequest) -> Error {
    let MavenRequest { project, options, log } = request;
    let lines = lines_that_matter(output);
    let says = |text: &str| output.contains(text);
    let folder = project.root.display();
    let mut next = if says("is no longer supported. Use ") {
        format!(
            "This JDK no longer compiles for the project's Java level: set JAVA_HOME to an older JDK, or pass a level, for \
             example `--maven-arg=-Dmaven.compiler.source=8 --maven-arg=-Dmaven.compiler.target=8`. {SAME}"
        )
    } else if let Some(level) = newer_level(output) {
        format!(
            "The project needs Java {level}, and Maven runs with an older JDK: set JAVA_HOME to JDK {level} or newer."
        )
    } else if let Some(asked) = other_maven(output) {
        format!(
            "The build asks for Maven {asked}: install that version, or give the project a wrapper that fetches it, with \
             `mvn wrapper:wrapper -Dmaven=VERSION`; reneri uses a project's `mvnw` where there is one."
        )
    } else if says("COMPILATION ERROR") {
        format!("Make `mvn test-compile` succeed in {folder}. {SAME}")
    } else if UNRESOLVED.iter().any(|text| says(text)) {
        if options.offline || says("offline mode") {
            "Run once without `--offline`, so that Maven can fetch what is missing.".to_string()
        } else {
            format!(
                "Check the network and the repositories in the POM and Maven's settings. If the missing artifact is another module \
                 of the same build, run `mvn install -DskipTests` in the root first. {SAME}"
            )
        }
    } else if says("Unrecognized option") || says("Unable to parse command line options") {
        "Check the values of `--maven-arg`.".to_string()
    } else {
        format!("Make `mvn test-compile` succeed in {folder}. {SAME}")
    };
    next.push_str(&format!(" The whole output of Maven is in {}.", log.display()));
    Error::cannot_build(format!("Maven could not build {folder}."), next).with_details(lines.join("\n"))
}

/// Parts of the messages of Maven about an artifact that it cannot get.
const UNRESOLVED: [&str; 4] =
    ["Could not resolve dependencies", "could not be resolved", "Could not transfer", "Non-resolvable "];

/// The Java level that javac, or a plugin, is asked for and does not know.
fn newer_level(output: &str) -> Option<u32> {
    const REFUSALS: [&str; 3] = ["release version ", "invalid target release: ", "invalid source release: "];
    let level = |text: &str| {
        let digits: String = text.trim_start_matches("1.").chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let refused = output.lines().filter(|line| line.contains("not supported") || line.contains("invalid "));
    refused
        .flat_map(|line| REFUSALS.iter().filter_map(|refusal| line.split_once(refusal)))
        .find_map(|(_, rest)| level(rest))
}

const SAME: &str = "Arguments for Maven are passed with `--maven-arg`.";

/// The Maven version that a plugin's prerequisites, the enforcer or a newer format of the POM asks
/// for.
fn other_maven(output: &str) -> Option<String> {
    let version = |text: &str| {
        let version: String = text.trim_start().chars().take_while(|c| !c.is_whitespace()).collect();
        Some(version.trim_end_matches([':', ';', '.']).to_string()).filter(|version| !version.is_empty())
    };
    output.lines().find_map(|line| {
        if let Some((_, rest)) = line.split_once("requires Maven version ") {
            return version(rest);
        }
        // `Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).`
        if let Some((_, rest)) =
            line.split_once("Detected Maven Version").and_then(|(_, it)| it.split_once("allowed range "))
        {
            return version(rest);
        }
        // `'modelVersion' must be one of [4.0.0] but is '4.1.0'`
        (line.contains("'modelVersion'") && line.contains("'4.")).then(|| "4 or later".to_string())
    })
}

/// The `[ERROR]` lines without repetitions and boilerplate, or the last lines if there are none.
fn lines_that_matter(output: &str) -> Vec<String> {
    if let Some(refused) = output.lines().find(|line| line.contains("Unable to parse command line options")) {
        return vec![refused.trim_start_matches("[ERROR]").trim().to_string()];
    }
    let mut lines: Vec<String> = Vec::new();
    for line in output.lines() {
        let Some(text) = line.trim().strip_prefix("[ERROR]").map(str::trim) else {
            continue;
        };
        // A summary of several problems has the prefix twice.
        let text = text.strip_prefix("[ERROR]").map_or(text, str::trim);
        let text = text.split(" -> [Help").next().unwrap_or(text);
        let heading = text == "COMPILATION ERROR :" || text.ends_with("Compilation failure: Compilation failure:");
        if text.is_empty() || heading || BOILERPLATE.iter().any(|start| text.starts_with(start)) {
            continue;
        }
        if !lines.iter().any(|before| before.as_str() == text) {
            lines.push(text.to_string());
        }
    }
    if lines.is_empty() {
        let last: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        return last.iter().skip(last.len().saturating_sub(SHOWN)).map(ToString::to_string).collect();
    }
    let left_out = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if left_out > 0 {
        lines.push(format!("… and {left_out} more lines"));
    }
    lines
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::request::MavenOptions;
    use super::*;
    use crate::project::Project;

    fn error(output: &str, offline: bool) -> Error {
        let project = Project { root: "/p".into(), pom: "/p/pom.xml".into() };
        let options = MavenOptions { offline, ..MavenOptions::default() };
        failure(output, &MavenRequest { project, options, log: "/log".into() })
    }

    const COMPILATION: &str = "\
[INFO] BUILD FAILURE
[ERROR] COMPILATION ERROR : 
[ERROR] /p/src/A.java:[3,5] cannot find symbol
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile (default-compile) on project p: Compilation failure
[ERROR] /p/src/A.java:[3,5] cannot find symbol
[ERROR] 
[ERROR] -> [Help 1]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
";

    #[test]
    fn each_compiler_error_is_shown_once_and_boilerplate_never() {
        let error = error(COMPILATION, false);
        let details = error.details.unwrap();
        assert_eq!(details.lines().next(), Some("/p/src/A.java:[3,5] cannot find symbol"));
        assert_eq!(details.lines().count(), 2, "{details}");
        assert!(error.next.contains("mvn test-compile") && error.next.contains("/log"), "{}", error.next);
    }

    #[test]
    fn for_a_level_that_the_jdk_refuses_the_advice_is_to_raise_it() {
        let output = "[ERROR] COMPILATION ERROR : \n[ERROR] Source option 5 is no longer supported. Use 7 or later.\n";
        assert!(error(output, false).next.contains("-Dmaven.compiler.source=8"));
    }

    #[test]
    fn for_a_level_that_is_newer_than_the_jdk_the_advice_is_a_newer_jdk() {
        for refusal in
            ["release version 21 not supported", "invalid target release: 21", "invalid source release: 1.21"]
        {
            let next = error(&format!("[ERROR] Fatal error compiling: error: {refusal} -> [Help 1]\n"), false).next;
            assert!(next.contains("needs Java 21") && next.contains("JDK 21 or newer"), "{next}");
        }
    }

    #[test]
    fn for_a_build_that_refuses_this_maven_the_advice_names_the_version_to_install() {
        for (output, asked) in [
            ("[ERROR] The plugin org.example:it:1.0 requires Maven version 3.9.6 -> [Help 1]", "Maven 3.9.6:"),
            ("[ERROR] Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).", "Maven [3.9,):"),
            ("[ERROR] 'modelVersion' must be one of [4.0.0] but is '4.1.0'. @ line 3", "Maven 4 or later:"),
        ] {
            let next = error(output, false).next;
            assert!(next.contains(asked) && next.contains("mvnw"), "{next}");
        }
    }

    #[test]
    fn for_missing_artifacts_the_advice_is_to_go_online() {
        let output = "[ERROR] Failed to execute goal on project p: Could not resolve dependencies for project";
        assert!(error(output, true).next.contains("without `--offline`"));
        assert!(error(output, false).next.contains("network"));
        let of_parent = "[ERROR] [ERROR] Some problems were encountered\n[FATAL] Non-resolvable parent POM for p\n";
        let error = error(of_parent, false);
        assert!(error.next.contains("network") && !error.details.unwrap().contains("[ERROR]"), "{}", error.next);
    }

    #[test]
    fn the_error_names_an_argument_that_maven_refuses() {
        let output =
            "Unable to parse command line options: Unrecognized option: --nonsense\n\nusage: mvn\n -v, --version\n";
        let error = error(output, false);
        assert_eq!(error.details.unwrap(), "Unable to parse command line options: Unrecognized option: --nonsense");
        assert!(error.next.contains("--maven-arg"), "{}", error.next);
    }

    #[test]
    fn the_last_lines_are_shown_if_no_line_is_an_error() {
        let details = error("one\n\nError: Could not create the Java Virtual Machine.\n", false).details.unwrap();
        assert_eq!(details, "one\nError: Could not create the Java Virtual Machine.");
    }

    #[test]
    fn many_errors_are_cut_and_counted() {
        let output: String = (0..30).map(|n| format!("[ERROR] error {n}\n")).collect();
        assert!(error(&output, false).details.unwrap().ends_with("… and 18 more lines"));
    }
}
