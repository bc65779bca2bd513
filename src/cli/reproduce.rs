//! Writes the command that finds the same again. It contains everything that changes findings, and
//! nothing that belongs to one machine.

use crate::change::Source;
use crate::cli::{ConfigurationFile, DEFAULT_FIX_BUDGET, DEFAULT_RUNS, Settings};
use std::borrow::Cow;

/// The command, to be typed in the folder of the project.
///
/// The values of Maven's arguments may be passwords or paths of one machine, which readers of a
/// report must not see. They are shown as `…`.
#[must_use]
pub fn command(settings: &Settings) -> String {
    let mut words = vec!["reneri".to_owned(), "analyze".to_owned()];
    let target = &settings.target;
    if let Some(recipe) = &target.recipe {
        let shown = recipe.strip_prefix(&target.project).ok().or_else(|| recipe.file_name().map(std::path::Path::new));
        words.push(format!("--recipe={}", shown.unwrap_or(recipe).display()));
    }
    if !target.modules.is_empty() {
        words.push(format!("--module={}", target.modules.join(",")));
    }
    words.extend(target.maven_arguments.iter().map(|argument| match argument.split_once('=') {
        Some((name, _)) => format!("--maven-arg={name}=…"),
        None => format!("--maven-arg={argument}"),
    }));
    if let Some(change) = &settings.change {
        let option = if matches!(change, Source::Since(_)) { "since" } else { "in-diff" };
        words.push(format!("--{option}={}", change.shown(&target.project)));
    }
    if target.configuration == ConfigurationFile::LeftOut {
        words.push("--no-config".to_owned());
    }
    // The file may set a different default.
    if settings.runs != DEFAULT_RUNS || matches!(target.configuration, ConfigurationFile::Read(_)) {
        words.push(format!("--runs={}", settings.runs));
    }
    if let Some(transformations) = &settings.transformations {
        words.push(format!("--transformations={}", transformations.join(",")));
    }
    if !settings.disabled_stop_rules.is_empty() {
        words.push(format!("--disable-stop-rule={}", settings.disabled_stop_rules.join(",")));
    }
    match settings.fix_budget {
        None => words.push("--no-fix".to_owned()),
        Some(DEFAULT_FIX_BUDGET) => {}
        Some(budget) => words.push(format!("--fix-budget={budget}")),
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a POSIX shell (POSIX.1-2017, Shell Command Language, §2.2.2).
fn quoted(word: &str) -> Cow<'_, str> {
    if word.chars().all(|c| c.is_alphanumeric() || "-_=,./:+@…".contains(c)) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};

    fn command_for(arguments: &[&str]) -> String {
        let line = ["reneri", "analyze"].iter().chain(arguments).map(std::ffi::OsString::from);
        match parse(line).unwrap() {
            Request::Analyze(settings) => command(&settings),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_that_do_not_change_findings_are_left_out() {
        assert_eq!(command_for(&["--jobs", "3", "--quiet", "--fail-on", "any", "--format", "sarif"]), "reneri analyze");
    }

    #[test]
    fn options_that_change_findings_are_quoted_for_a_shell() {
        assert_eq!(
            command_for(&["-n", "4", "-t", "\"\",-1,'A'", "--module", "core,:app", "--disable-stop-rule", "getter"]),
            r#"reneri analyze --module=core,:app --runs=4 '--transformations="",-1,'\''A'\''' --disable-stop-rule=getter"#
        );
    }

    #[test]
    fn values_of_maven_arguments_are_hidden() {
        assert_eq!(
            command_for(&["--maven-arg=-Pfast", "--maven-arg=-Dpassword=secret"]),
            "reneri analyze --maven-arg=-Pfast --maven-arg=-Dpassword=…"
        );
    }

    #[test]
    fn the_change_is_named_without_the_folders_of_this_machine() {
        assert_eq!(command_for(&["--since", "origin/main"]), "reneri analyze --since=origin/main");
        assert_eq!(command_for(&["--since", "HEAD~1"]), "reneri analyze '--since=HEAD~1'");
        assert_eq!(command_for(&["--in-diff", "-"]), "reneri analyze --in-diff=-");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pr.diff");
        std::fs::write(&file, "").unwrap();
        assert_eq!(command_for(&["--in-diff", file.to_str().unwrap()]), "reneri analyze --in-diff=pr.diff");
        assert_eq!(command_for(&["--in-diff", "Cargo.toml"]), "reneri analyze --in-diff=Cargo.toml");
        assert_eq!(command_for(&["--in-diff", "src/../Cargo.toml"]), "reneri analyze --in-diff=src/../Cargo.toml");
        assert_eq!(
            command_for(&["--in-diff", "/dev/null"]),
            "reneri analyze --in-diff=-",
            "a pipe has no lasting name"
        );
    }

    #[test]
    fn a_recipe_is_named_without_the_folders_of_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recipe.json");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(command_for(&["--recipe", file.to_str().unwrap()]), "reneri analyze --recipe=recipe.json");
    }
}
