//! From a Maven project to its recipe: Maven compiles it through the `test` phase and hands over how surefire would run the tests.
//!
//! One run of Maven, with an extension of ours (`java/reneri/maven`) that is given on its command line, as IDEs do it. The extension reads
//! surefire's parameters after Maven has evaluated them, and sets surefire's `skip` before it starts.

use super::handover::{Handover, read_handover, recipe};
use super::process::{cannot_start, run, without_colours};
use super::{Recipe, jdk, maven_log};
use crate::error::{Error, Result};
use crate::java;
use crate::project::Project;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;

const SOURCES: [java::Source; 7] = [
    ("reneri/maven/CompilerLevel.java", include_str!("java/reneri/maven/CompilerLevel.java")),
    ("reneri/maven/Handover.java", include_str!("java/reneri/maven/Handover.java")),
    ("reneri/maven/Parameters.java", include_str!("java/reneri/maven/Parameters.java")),
    ("reneri/maven/Reactor.java", include_str!("java/reneri/maven/Reactor.java")),
    ("reneri/maven/Resolver.java", include_str!("java/reneri/maven/Resolver.java")),
    ("reneri/maven/TestEngine.java", include_str!("java/reneri/maven/TestEngine.java")),
    ("reneri/maven/Watch.java", include_str!("java/reneri/maven/Watch.java")),
];
const RESOURCES: [java::Source; 1] = [("META-INF/plexus/components.xml", include_str!("java/components.xml"))];
const LEFT_OUT: &str = include_str!("../../rules/recipe/plugins-left-out.toml");
const EXTENSIONS: &str = "-Dmaven.ext.class.path=";

/// What the user says about running Maven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MavenOptions {
    /// Passed on as they are: profiles, properties, goals before `test`.
    pub arguments: Vec<String>,
    /// Maven fetches nothing.
    pub offline: bool,
}

/// The Maven installation that runs here, and the Java it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Installation {
    program: PathBuf,
    home: PathBuf,
    java_home: PathBuf,
}

/// Lets Maven compile `project` and returns how its tests run. No test runs; nothing but Maven's `target` changes.
///
/// Maven's output goes to the file `log`, and each of its lines, the command first, to `said`. The run ends soon after `interrupted` is set.
///
/// # Errors
/// [`ExitCode::CannotBuild`](crate::error::ExitCode) when there is no Maven or no JDK, when the build fails, when it is a build of several
/// modules, when surefire has no part in it or is told to skip the tests, and when there are no classes or no tests.
pub fn ask(
    project: &Project,
    options: &MavenOptions,
    log: &Path,
    interrupted: &AtomicBool,
    said: &mut dyn FnMut(&str),
) -> Result<Recipe> {
    let maven = installation(project)?;
    let jdk = jdk::at(&maven.java_home)?;
    let extension =
        java::compile_cached(&jdk, "maven-extension", &SOURCES, &RESOURCES, &jars(&maven.home.join("lib"))?)?;
    let scratch = tempfile::tempdir().map_err(|error| {
        Error::usage(
            format!("The folder for temporary files cannot be written: {error}."),
            "Set TMPDIR to a folder that can be written.",
        )
    })?;
    let handover_file = scratch.path().join("handover.json");
    let mut command = command(&maven.program, project, options, &extension)?;
    command.env("RENERI_HANDOVER", &handover_file).env("RENERI_LEFT_OUT_PLUGINS", left_out_plugins()?);
    command.env("MAVEN_OPTS", quick_compiler(std::env::var("MAVEN_OPTS").unwrap_or_default()));
    let (status, output) = run(command, log, interrupted, said)?;
    let handover = read_handover(&handover_file)?;
    conclude(handover, status, &output, project, options, log)
}

/// A run of some seconds gains nothing from HotSpot's second compiler, which takes half of its CPU time.
fn quick_compiler(options: String) -> String {
    if options.contains("Tiered") { options } else { format!("{options} -XX:TieredStopAtLevel=1").trim().to_owned() }
}

fn conclude(
    handover: Option<Handover>,
    status: ExitStatus,
    output: &str,
    project: &Project,
    options: &MavenOptions,
    log: &Path,
) -> Result<Recipe> {
    let mut handover = handover.unwrap_or_default();
    if let Some(problem) = &handover.problem {
        return Err(refused(&problem.kind, &problem.text, &handover.modules, options));
    }
    if let (Some(module), Some(engine), Some(surefire)) =
        (handover.project.take(), handover.engine.take(), handover.surefire.take())
    {
        let mut notes = std::mem::take(&mut handover.notes);
        if !status.success() {
            // Everything needed was there before surefire's turn; what came after it has no part in the tests.
            notes.push("Maven failed after the tests' turn; its log says why.".to_string());
        }
        let recipe = recipe(module, handover.test_compile.unwrap_or_default(), engine, surefire, notes)?;
        check(&recipe)?;
        return Ok(recipe);
    }
    if !status.success() {
        return Err(maven_log::failure(output, project, options, log));
    }
    if handover.skipped_execution.is_some() || handover.test_compile.is_some_and(|compile| compile.skip) {
        return Err(Error::cannot_build(
            format!("The build of {} skips its tests (skipTests or maven.test.skip).", project.root.display()),
            "Switch them on, for example with `--maven-arg=-DskipTests=false --maven-arg=-Dmaven.test.skip=false`.",
        ));
    }
    Err(Error::cannot_build(
        format!("maven-surefire-plugin has no part in building {}.", project.root.display()),
        "reneri runs the tests that surefire runs in Maven's `test` phase: choose a module whose tests run there.",
    ))
}

/// What the extension refused, and what to do about it.
fn refused(kind: &str, text: &str, modules: &[PathBuf], options: &MavenOptions) -> Error {
    let next = match kind {
        "several-modules" => {
            let mut next = "reneri analyzes one module at a time: run `mvn install -DskipTests` here once, then choose a module with \
                            `--project`."
                .to_string();
            for module in modules {
                next.push_str(&format!("\n  --project {}", module.display()));
            }
            next
        }
        "no-code" => "Choose a module that has code with `--project`.".to_string(),
        "old-testng" => "reneri runs TestNG from version 6.8 on: depend on a newer one.".to_string(),
        "no-framework" => "reneri runs JUnit tests: add JUnit to the dependencies, with scope `test`.".to_string(),
        "not-resolved" if options.offline => "Run once without `--offline`, so that Maven can fetch it.".to_string(),
        "not-resolved" => "Check the network and the repositories in Maven's settings.".to_string(),
        "unknown-surefire" => "Use a newer version of maven-surefire-plugin: 2.12 or later.".to_string(),
        _ => "Choose another module with `--project`.".to_string(),
    };
    Error::cannot_build(text, next)
}

/// Classes and tests have to be there, and the folder in which the tests run.
fn check(recipe: &Recipe) -> Result<()> {
    let tests = "Surefire found nothing to run: see that the tests are under src/test/java.";
    if class_files(&recipe.classes).next().is_none() {
        return Err(Error::cannot_build(
            format!("{} has no classes: {} holds none after the build.", recipe.module, recipe.classes.display()),
            "Choose a module that has code with `--project`.",
        ));
    }
    let mut found = class_files(&recipe.test_classes).peekable();
    if found.peek().is_none() {
        return Err(Error::cannot_build(
            format!("{} has no tests: {} holds none after the build.", recipe.module, recipe.test_classes.display()),
            tests,
        ));
    }
    let selection = recipe.filter.selection()?;
    // Suite files of TestNG name the classes themselves.
    let is_free = recipe.engine_parameters.contains_key("suitexmlfiles");
    if !is_free && !found.any(|class| selection.takes(&class)) {
        return Err(Error::cannot_build(
            format!(
                "{} has no tests: surefire's patterns ({}) take none of its test classes.",
                recipe.module,
                recipe.filter.includes.join(", ")
            ),
            "Name the test classes so, or change `includes` of maven-surefire-plugin.",
        ));
    }
    // Surefire makes it as well.
    std::fs::create_dir_all(&recipe.working_directory).map_err(|error| {
        Error::cannot_build(
            format!("The tests' working directory {} cannot be made: {error}.", recipe.working_directory.display()),
            "Check `workingDirectory` of maven-surefire-plugin.",
        )
    })
}

/// Binary names of the class files below `folder`; none where there is no such folder.
fn class_files(folder: &Path) -> impl Iterator<Item = String> {
    walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten().filter_map(move |entry| {
        let path = entry.path().strip_prefix(folder).ok()?.with_extension("");
        let is_class = entry.file_type().is_file() && entry.path().extension().is_some_and(|end| end == "class");
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        (is_class && !matches!(names.last()?.as_ref(), "module-info" | "package-info")).then(|| names.join("."))
    })
}

/// `artifactId` or `artifactId:goal`, separated by commas, as `Reactor.java` reads them.
fn left_out_plugins() -> Result<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plugin {
        artifact: String,
        #[serde(default)]
        goals: Vec<String>,
        #[serde(rename = "why")]
        _why: String,
    }
    let file: BTreeMap<String, Vec<Plugin>> = toml::from_str(LEFT_OUT)
        .map_err(|error| Error::bug(format!("rules/recipe/plugins-left-out.toml is broken: {error}")))?;
    let names = file.into_values().flatten().flat_map(|plugin| match plugin.goals.as_slice() {
        [] => vec![plugin.artifact],
        goals => goals.iter().map(|goal| format!("{}:{goal}", plugin.artifact)).collect(),
    });
    Ok(names.collect::<Vec<_>>().join(","))
}

/// `mvn` on the PATH, else in `MAVEN_HOME` or `M2_HOME`.
fn program() -> Result<PathBuf> {
    let names: &[&str] = if cfg!(windows) { &["mvn.cmd", "mvn.bat", "mvn.exe"] } else { &["mvn"] };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes =
        ["MAVEN_HOME", "M2_HOME"].into_iter().filter_map(std::env::var_os).map(|home| PathBuf::from(home).join("bin"));
    std::env::split_paths(&path)
        .chain(homes)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Error::cannot_build(
                "There is no Maven: no `mvn` in any folder of PATH.",
                "Install Maven 3.6.3 or later (https://maven.apache.org), or add its `bin` to PATH.",
            )
        })
}

/// Asks Maven itself, in the project, because start scripts, `.mavenrc` and `.mvn/jvm.config` have a say in which Java it runs on.
fn installation(project: &Project) -> Result<Installation> {
    let program = program()?;
    let output = Command::new(&program)
        .args(["-B", "-version"])
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(&program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(Error::cannot_build(
            format!("{} does not start (`mvn -version` fails).", program.display()),
            "Maven needs a JDK: install one, or correct JAVA_HOME (and MAVEN_OPTS, .mvn/jvm.config).",
        )
        .with_details(said()));
    }
    match (value_after(&text, &["Maven home: "]), value_after(&text, &[", runtime: ", "Java home: "])) {
        (Some(home), Some(java_home)) => Ok(Installation { program, home: home.into(), java_home: java_home.into() }),
        _ => Err(Error::cannot_build(
            format!("`{} -version` does not say where Maven and its Java are.", program.display()),
            "Check that this `mvn` is Apache Maven, 3.6.3 or later.",
        )
        .with_details(said())),
    }
}

/// The rest of the line behind one of `labels`.
fn value_after(text: &str, labels: &[&str]) -> Option<String> {
    text.lines().find_map(|line| {
        let (_, value) = labels.iter().find_map(|label| line.split_once(label))?;
        Some(without_colours(value).trim().to_string()).filter(|value| !value.is_empty())
    })
}

/// The jars against which the extension is compiled.
fn jars(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Error::cannot_build(
            format!("Maven's own jars cannot be read: {}: {error}.", folder.display()),
            "Check the installation of Maven.",
        )
    })?;
    let is_jar = |file: &PathBuf| file.extension().is_some_and(|end| end == "jar");
    let mut jars: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_jar).collect();
    jars.sort();
    Ok(jars)
}

fn command(maven: &Path, project: &Project, options: &MavenOptions, extension: &Path) -> Result<Command> {
    let mut extensions = vec![extension.to_path_buf()];
    let mut command = Command::new(maven);
    // Batch mode also keeps colours out.
    command.arg("-B");
    if options.offline {
        command.arg("-o");
    }
    if project.pom.file_name().is_none_or(|name| name != "pom.xml") {
        command.arg("-f").arg(&project.pom);
    }
    for argument in &options.arguments {
        match argument.strip_prefix(EXTENSIONS) {
            Some(path) => extensions.extend(std::env::split_paths(path)),
            None => {
                command.arg(argument);
            }
        }
    }
    let path = std::env::join_paths(extensions).map_err(|error| {
        Error::usage(
            format!("The path of a Maven extension cannot be passed on: {error}."),
            "Set RENERI_CACHE to a folder without a path separator in its name.",
        )
    })?;
    let mut argument = std::ffi::OsString::from(EXTENSIONS);
    argument.push(path);
    command.arg(argument).arg("test").current_dir(&project.root).stdin(Stdio::null());
    Ok(command)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_version_names_the_homes_of_maven_and_of_its_java_with_and_without_colours() {
        let text = "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\u{1b}[m\nJava version: 17.0.15, vendor: Debian, runtime: /usr/lib/jvm/java 17\n";
        assert_eq!(value_after(text, &["Maven home: "]).as_deref(), Some("/usr/share/maven"));
        assert_eq!(value_after(text, &[", runtime: ", "Java home: "]).as_deref(), Some("/usr/lib/jvm/java 17"));
        let old = "Maven home: C:\\maven\r\nJava version: 1.8.0_392, vendor: x\r\nJava home: /jdk/jre\r\n";
        assert_eq!(value_after(old, &[", runtime: ", "Java home: "]).as_deref(), Some("/jdk/jre"));
        assert_eq!(value_after("nonsense", &["Maven home: "]), None);
    }

    #[test]
    fn plugins_are_left_out_whole_or_by_goal() {
        let names = left_out_plugins().unwrap();
        let names: Vec<&str> = names.split(',').collect();
        assert!(names.contains(&"animal-sniffer-maven-plugin") && names.contains(&"jacoco-maven-plugin:instrument"));
        assert!(!names.contains(&"jacoco-maven-plugin"), "prepare-agent sets properties that POMs refer to");
    }

    #[test]
    fn arguments_reach_maven_as_given_and_its_other_extensions_are_kept() {
        let project = Project { root: "/p".into(), pom: "/p/other.xml".into() };
        let options = MavenOptions {
            arguments: vec!["-Pfast".into(), format!("{EXTENSIONS}/theirs.jar"), "-Da=b c".into()],
            offline: true,
        };
        let command = command(Path::new("mvn"), &project, &options, Path::new("/ours")).unwrap();
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        let expected =
            ["-B", "-o", "-f", "/p/other.xml", "-Pfast", "-Da=b c", "-Dmaven.ext.class.path=/ours:/theirs.jar", "test"];
        assert_eq!(arguments, expected);
    }
}
