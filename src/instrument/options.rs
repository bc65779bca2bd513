//! Derives javac's options for the instrumented tests from a recipe's compiler settings.

use crate::base::error::{Error, Result};
use crate::recipe::Recipe;
use std::path::Path;

/// Lowest Java level. Below it, arguments do not take part in type inference, and a probe around
/// `new ArrayList<>()` would not compile (JLS §18, Java 8).
const LOWEST_LEVEL: u32 = 8;

/// Whether annotation processors take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processing {
    Off,
    On,
}

/// The options of one pass except [`into`]. Sources that processors generate go to
/// `scratch/generated`.
///
/// # Errors
/// If an element of the class path cannot be part of a path.
pub fn options(recipe: &Recipe, probe_classes: &Path, scratch: &Path, processing: Processing) -> Result<Vec<String>> {
    let settings = &recipe.compiler;
    let mut options: Vec<String> =
        ["-g", "-nowarn", "-implicit:none", "-Xmaxerrs", "1000000", "-XDcompilePolicy=simple"].map(String::from).into();
    let mut pair = |name: &str, value: String| options.extend([name.to_owned(), value]);
    let folder = |name: &str| scratch.join(name).to_string_lossy().into_owned();
    // Without it, javac would look for sources on the class path.
    pair("-sourcepath", folder("no-sources"));
    let class_path = std::env::join_paths(
        recipe
            .test_class_path
            .iter()
            .chain(&recipe.engine_class_path)
            .chain(&recipe.excluded_class_path)
            .map(std::path::PathBuf::as_path)
            .chain([probe_classes]),
    )
    .map_err(|error| {
        Error::usage(
            format!("The test class path of {} cannot be given to javac: {error}.", recipe.module),
            "Use folders without the separator of class paths in their names.",
        )
    })?;
    pair("-classpath", class_path.to_string_lossy().into_owned());
    let release = settings.release.as_ref().filter(|release| !release.is_empty());
    if let Some(release) = release.filter(|_| recipe.java_release >= 9) {
        pair("--release", raised(release));
    } else {
        // A JDK before 9 has no `--release`.
        if let Some(source) = settings.source.as_ref().or(release).filter(|source| !source.is_empty()) {
            pair("-source", raised(source));
        }
        if let Some(target) = settings.target.as_ref().or(release).filter(|target| !target.is_empty()) {
            pair("-target", raised(target));
        }
    }
    if settings.parameters {
        options.push("-parameters".to_owned());
    }
    options.extend(kept_arguments(&settings.arguments, processing));
    match processing {
        Processing::Off => options.push("-proc:none".to_owned()),
        Processing::On => options.extend(["-s".to_owned(), folder("generated")]),
    }
    Ok(options)
}

/// The folder of the classes, as an option.
#[must_use]
pub fn into(folder: &Path) -> [String; 2] {
    ["-d".to_owned(), folder.to_string_lossy().into_owned()]
}

/// Raises a level: `1.5` and `7` become `8`. A text that is no number stays.
fn raised(level: &str) -> String {
    let number = level.trim().trim_start_matches("1.").parse::<u32>();
    match number {
        Ok(number) if number < LOWEST_LEVEL => LOWEST_LEVEL.to_string(),
        _ => level.trim().to_owned(),
    }
}

/// The treatment of a compiler argument of the project.
enum Fate {
    Keep,
    KeepWithValue,
    Drop,
    DropWithValue,
}

/// The project's own arguments, without those that only find fault, plug something into javac, or
/// are set above.
fn kept_arguments(arguments: &[String], processing: Processing) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter().filter(|argument| !argument.is_empty());
    while let Some(argument) = arguments.next() {
        match fate(argument, processing) {
            Fate::Keep => kept.push(for_everybody(argument)),
            Fate::KeepWithValue => {
                kept.push(argument.clone());
                kept.extend(arguments.next().map(|value| for_everybody(value)));
            }
            Fate::Drop => {}
            Fate::DropWithValue => {
                arguments.next();
            }
        }
    }
    kept
}

fn fate(argument: &str, processing: Processing) -> Fate {
    let processors = processing == Processing::On;
    match argument {
        "--add-exports" | "--add-reads" | "--add-modules" | "--limit-modules" | "--system" => Fate::KeepWithValue,
        "--enable-preview" | "-parameters" => Fate::Keep,
        "-processor" | "-processorpath" | "--processor-path" if processors => Fate::KeepWithValue,
        "-processor"
        | "-processorpath"
        | "--processor-path"
        | "--processor-module-path"
        | "--module-path"
        | "-p"
        | "--patch-module"
        | "--module-source-path"
        | "--module"
        | "-m"
        | "--upgrade-module-path"
        | "--module-version"
        | "-d"
        | "-s"
        | "-h"
        | "-cp"
        | "-classpath"
        | "--class-path"
        | "-sourcepath"
        | "--source-path"
        | "-source"
        | "--source"
        | "-target"
        | "--target"
        | "--release"
        | "-encoding"
        | "-Xmaxerrs"
        | "-Xmaxwarns"
        | "-Xstdout"
        | "-profile" => Fate::DropWithValue,
        _ if argument.starts_with("-A") && processors => Fate::Keep,
        _ if ["--add-exports=", "--add-reads=", "--add-modules=", "--limit-modules=", "--system="]
            .iter()
            .any(|prefix| argument.starts_with(prefix)) =>
        {
            Fate::Keep
        }
        // All other arguments ask for warnings, messages or plug-ins: `-Werror`, `-Xlint:all`,
        // `-Xplugin:ErrorProne`, `-XDcompilePolicy`, `--should-stop`, `-g:none`, `-verbose`, `-J…`.
        _ => Fate::Drop,
    }
}

/// Opens to the unnamed module what an argument opens to a named one, because the tests are
/// compiled outside of any module.
fn for_everybody(argument: &str) -> String {
    let value = argument.strip_prefix("--add-exports=").unwrap_or(argument);
    match value.split_once('=') {
        Some((package, _)) if package.contains('/') => {
            let prefix = argument.strip_suffix(value).unwrap_or_default();
            format!("{prefix}{package}=ALL-UNNAMED")
        }
        _ => argument.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn kept(arguments: &[&str], processing: Processing) -> Vec<String> {
        kept_arguments(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>(), processing)
    }

    #[test]
    fn arguments_that_make_javac_stricter_are_dropped_and_those_that_open_modules_are_kept() {
        let arguments = [
            "-Werror",
            "-Xlint:all",
            "-Xplugin:ErrorProne -Xep:DeadException:WARN",
            "--add-exports",
            "java.base/sun.security.x509=org.example",
            "-J-Xmx1g",
            "-Afoo=bar",
            "-processor",
            "org.example.Processor",
            "--add-modules=java.sql",
            "-d",
            "elsewhere",
            "--enable-preview",
        ];
        assert_eq!(
            kept(&arguments, Processing::Off),
            ["--add-exports", "java.base/sun.security.x509=ALL-UNNAMED", "--add-modules=java.sql", "--enable-preview"]
        );
        assert_eq!(
            kept(&arguments, Processing::On),
            [
                "--add-exports",
                "java.base/sun.security.x509=ALL-UNNAMED",
                "-Afoo=bar",
                "-processor",
                "org.example.Processor",
                "--add-modules=java.sql",
                "--enable-preview"
            ]
        );
    }

    #[test]
    fn language_levels_before_8_are_raised_to_8() {
        assert_eq!(["1.5", "7", "1.8", "8", "17"].map(raised), ["8", "8", "1.8", "8", "17"]);
    }
}
