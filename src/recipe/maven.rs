//! From a Maven project to its build: Maven compiles it through the `test` phase and hands over how surefire would run the tests.
//!
//! One run of Maven, with an extension of ours (`java/maven-extension`) that is given on its command line, as IDEs do it. The extension reads
//! surefire's parameters after Maven has evaluated them, and sets surefire's `skip` before it starts.

use super::answer::{Answer, Question};
use super::build::conclude;
use super::edited::{self, Unmade};
use super::handover::{Handover, parse_handover, read_handover};
use super::installation::{Installation, installation};
use super::process::run;
use super::{Build, jdk};
use crate::base::embedded_java;
use crate::base::error::{Error, Result};
use crate::project::Project;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const SOURCES: [embedded_java::Source; 11] = [
    (
        "reneri/maven/CompilerLevel.java",
        include_str!("../../java/maven-extension/src/main/java/reneri/maven/CompilerLevel.java"),
    ),
    ("reneri/maven/Handover.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Handover.java")),
    (
        "reneri/maven/ModulePath.java",
        include_str!("../../java/maven-extension/src/main/java/reneri/maven/ModulePath.java"),
    ),
    ("reneri/maven/Mojos.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Mojos.java")),
    (
        "reneri/maven/Parameters.java",
        include_str!("../../java/maven-extension/src/main/java/reneri/maven/Parameters.java"),
    ),
    ("reneri/maven/Reactor.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Reactor.java")),
    ("reneri/maven/Required.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Required.java")),
    ("reneri/maven/Resolver.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Resolver.java")),
    (
        "reneri/maven/TestEngine.java",
        include_str!("../../java/maven-extension/src/main/java/reneri/maven/TestEngine.java"),
    ),
    (
        "reneri/maven/Rewritten.java",
        include_str!("../../java/maven-extension/src/main/java/reneri/maven/Rewritten.java"),
    ),
    ("reneri/maven/Watch.java", include_str!("../../java/maven-extension/src/main/java/reneri/maven/Watch.java")),
];
const RESOURCES: [embedded_java::Source; 1] = [(
    "META-INF/plexus/components.xml",
    include_str!("../../java/maven-extension/src/main/resources/META-INF/plexus/components.xml"),
)];
const LEFT_OUT: &str = include_str!("../../rules/recipe/plugins-left-out.toml");
const EXTENSIONS: &str = "-Dmaven.ext.class.path=";

/// What the user says about running Maven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MavenOptions {
    /// Passed on as they are: profiles, properties, goals before `test`.
    pub arguments: Vec<String>,
    /// Maven fetches nothing.
    pub offline: bool,
    /// What Maven answered before may be its answer, if nothing has changed.
    pub history: bool,
}

/// Lets Maven compile `project` and returns how the tests of its modules run. No test runs; nothing but Maven's `target` changes.
///
/// Maven's output goes to the file `log`, and each of its lines, the command first, to `said`. The run ends soon after `interrupted` is set.
///
/// # Errors
/// [`ExitCode::CannotBuild`](crate::base::error::ExitCode) when there is no Maven or no JDK, when the build fails, when no module has classes,
/// and when in no module there are tests for surefire to run. A module whose tests cannot be run is a note while others have some.
pub fn ask(
    project: &Project,
    options: &MavenOptions,
    log: &Path,
    interrupted: &AtomicBool,
    said: &mut dyn FnMut(&str),
) -> Result<Build> {
    let question = log
        .parent()
        .filter(|_| options.history)
        .and_then(|output| Question::new(project, &options.arguments, options.offline, output));
    if let Some(question) = &question
        && let Some(answer) = question.answer()
    {
        let mut handover = parse_handover(answer.handover())?;
        handover.notes.splice(0..0, answer.notes().iter().cloned());
        if holds_after_edit(question, answer, &handover, log, interrupted, said)? {
            return conclude(handover, true, "", project, options, log);
        }
    }
    let before = question.as_ref().map(Question::project);
    let mut notes = Vec::new();
    let maven = installation(project, options.offline, &mut notes)?;
    interrupt_check(interrupted)?;
    let jdk = jdk::at(&maven.java_home)?;
    let extension = embedded_java::compile_cached(&jdk, "maven-extension", &SOURCES, &RESOURCES, &maven.jars()?)?;
    let scratch = tempfile::tempdir().map_err(|error| {
        Error::usage(
            format!("The folder for temporary files cannot be written: {error}."),
            "Set TMPDIR to a folder that can be written.",
        )
    })?;
    let handover_file = scratch.path().join("handover.json");
    let mut command = command(&maven, project, options, &extension)?;
    command.env("RENERI_HANDOVER", &handover_file).env("RENERI_LEFT_OUT_PLUGINS", left_out_plugins()?);
    command.env("MAVEN_OPTS", quick_compiler(std::env::var("MAVEN_OPTS").unwrap_or_default()));
    let (status, output) = run(command, log, interrupted, said)?;
    let text = read_handover(&handover_file)?;
    let mut handover = text.as_deref().map_or_else(|| Ok(Handover::default()), parse_handover)?;
    handover.notes.splice(0..0, notes.iter().cloned());
    let build = conclude(handover, status.success(), &output, project, options, log)?;
    if let (Some(question), Some(before), Some(text), true) = (&question, &before, &text, status.success())
        && question.keep(before, &maven, text, &notes).is_none()
    {
        said("Maven will be asked again next time: its answer may hang on more than can be seen here.");
    }
    Ok(build)
}

/// Whether Maven's answer of before stands: nothing has changed, or only sources, whose classes are written here.
fn holds_after_edit(
    question: &Question,
    answer: Answer,
    handover: &Handover,
    log: &Path,
    interrupted: &AtomicBool,
    said: &mut dyn FnMut(&str),
) -> Result<bool> {
    if answer.edited.is_empty() {
        said("Nothing has changed that Maven's answer of before depends on: it is not asked again.");
        return Ok(true);
    }
    let classes = edited::compile(handover, &answer.edited, &mut |command| {
        run(command, log, interrupted, said).map(|(status, _)| status.success())
    });
    let doubt = match classes {
        Ok(_) if !question.is_as_answered(&answer) => "something has changed meanwhile".to_owned(),
        Ok(classes) => match edited::write(&classes) {
            Ok(()) => {
                said("Nothing but sources has changed, and they are compiled: Maven is not asked again.");
                // What is not kept is asked for again.
                let _ = question.keep_edited(answer);
                return Ok(true);
            }
            Err(error) => format!("a class file cannot be written: {error}"),
        },
        Err(Unmade::Doubt(why)) => why,
        Err(Unmade::Failed(error)) => return Err(error),
    };
    said(&format!("Sources have changed, and Maven is asked again: {doubt}."));
    Ok(false)
}

/// Ctrl-C ended the first, short run of Maven, too.
fn interrupt_check(interrupted: &AtomicBool) -> Result<()> {
    if interrupted.load(Ordering::Relaxed) { Err(Error::interrupted()) } else { Ok(()) }
}

/// A run of some seconds gains nothing from HotSpot's second compiler, which takes half of its CPU time.
fn quick_compiler(options: String) -> String {
    if options.contains("Tiered") { options } else { format!("{options} -XX:TieredStopAtLevel=1").trim().to_owned() }
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

fn command(maven: &Installation, project: &Project, options: &MavenOptions, extension: &Path) -> Result<Command> {
    let mut extensions = vec![extension.to_path_buf()];
    let mut command = maven.command();
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
            history: false,
        };
        let maven = Installation::new(Path::new("/bin/mvn"), "/maven".into(), "/jdk".into());
        let command = command(&maven, &project, &options, Path::new("/ours")).unwrap();
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        let expected =
            ["-B", "-o", "-f", "/p/other.xml", "-Pfast", "-Da=b c", "-Dmaven.ext.class.path=/ours:/theirs.jar", "test"];
        assert_eq!(arguments, expected);
    }
}
