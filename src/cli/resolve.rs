//! Turns parsed options into settings and checks each of them.

use super::arguments::{Analyze, List, PlaceArguments, SelectionArguments, TargetArguments};
use super::configuration::Configuration;
use super::{ConfigurationFile, FailOn, ListSettings, Settings, Target};
use crate::base::error::{Error, Result};
use crate::base::jobs;
use crate::change;
use crate::report::{Annotations, Format};
use crate::terminal::Verbosity;
use std::path::{Path, PathBuf};

impl PlaceArguments {
    /// The folder of the project and the folder for the report.
    pub(super) fn resolve(self) -> Result<(PathBuf, PathBuf)> {
        let project = existing_folder(&self.project)?;
        let output = match &self.output {
            Some(output) => std::path::absolute(output).map_err(|error| {
                Error::usage(
                    format!("The output folder {} is no path: {error}.", output.display()),
                    "Give --output a folder.",
                )
            })?,
            None => project.join("target").join("reneri"),
        };
        if let Some(file) = output.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir()) {
            return Err(Error::usage(
                format!("The output folder {} cannot be made: {} is a file.", output.display(), file.display()),
                "Give --output another folder, or move that file away.",
            ));
        }
        Ok((project, output))
    }
}

impl TargetArguments {
    /// `configuration` is the file that was read.
    pub(super) fn resolve(self, configuration: Option<PathBuf>) -> Result<Target> {
        let no_config = self.place.no_config;
        let (project, output) = self.place.resolve()?;
        Ok(Target {
            project,
            output,
            configuration: match configuration {
                Some(file) => ConfigurationFile::Read(file),
                None if no_config => ConfigurationFile::LeftOut,
                None => ConfigurationFile::None,
            },
            modules: distinct("--module", self.modules)?,
            recipe: self
                .recipe
                .map(|file| existing_file(&file, "Give --recipe the file that describes the tests."))
                .transpose()?,
            maven_arguments: self.maven_arguments,
            offline: self.offline,
            history: !self.no_history,
            verbosity: match (self.verbose, self.quiet) {
                (true, _) => Verbosity::Verbose,
                (false, true) => Verbosity::Quiet,
                (false, false) => Verbosity::Normal,
            },
            color: self.color,
        })
    }
}

impl SelectionArguments {
    /// The requested transformations, if any, and the disabled stop rules.
    pub(super) fn resolve(self) -> Result<(Option<Vec<String>>, Vec<String>)> {
        let transformations = distinct("--transformations", self.transformations)?;
        let disabled_stop_rules = distinct("--disable-stop-rule", self.disabled_stop_rules)?;
        Ok(((!transformations.is_empty()).then_some(transformations), disabled_stop_rules))
    }
}

impl List {
    pub(super) fn resolve(self, configuration: Option<PathBuf>) -> Result<ListSettings> {
        let (transformations, disabled_stop_rules) = self.selection.resolve()?;
        Ok(ListSettings {
            target: self.target.resolve(configuration)?,
            transformations,
            disabled_stop_rules,
            json: self.json,
        })
    }
}

impl Analyze {
    pub(super) fn resolve(self, configuration: Option<Configuration>) -> Result<Settings> {
        let (file, accept) = configuration.map(|configuration| (configuration.file, configuration.accept)).unzip();
        let accept = accept.unwrap_or_default();
        let jobs = self.jobs.map_or_else(jobs::by_default, usize::from);
        let (transformations, disabled_stop_rules) = self.selection.resolve()?;
        let next = "Give --baseline the report.json of an earlier analysis, of the target branch for instance.";
        let baseline = self.baseline.map(|file| existing_file(&file, next)).transpose()?;
        if self.fail_on == FailOn::New && baseline.is_none() {
            return Err(Error::usage("--fail-on new needs a baseline: without one, nothing tells what is new.", next));
        }
        Ok(Settings {
            target: self.target.resolve(file)?,
            runs: self.runs,
            jobs,
            transformations,
            disabled_stop_rules,
            change: change_source(self.since, self.in_diff)?,
            shard: self.shard,
            fix_budget: (!self.no_fix).then_some(self.fix_budget),
            self_check: self.self_check,
            baseline,
            fail_on: self.fail_on,
            max_undetected: self.max_undetected,
            accept,
            timings: self.timings,
            formats: formats(self.formats, self.annotations, &|variable| {
                std::env::var_os(variable).is_some_and(|value| value == "true")
            })?,
        })
    }
}

/// All formats to write. `is_true` looks up the variables that CI services set to `true` in each
/// job.
pub(super) fn formats(
    asked: Vec<Format>,
    annotations: Annotations,
    is_true: &dyn Fn(&str) -> bool,
) -> Result<Vec<Format>> {
    let mut formats = asked;
    match annotations {
        Annotations::None if formats.contains(&Format::Github) => {
            return Err(Error::usage(
                "--format github asks for annotations, and --annotations none for none.",
                "Leave one of the two away.",
            ));
        }
        Annotations::Github => formats.push(Format::Github),
        Annotations::Gitlab => formats.push(Format::Gitlab),
        Annotations::Auto => {
            formats.extend(is_true("GITHUB_ACTIONS").then_some(Format::Github));
            formats.extend(is_true("GITLAB_CI").then_some(Format::Gitlab));
        }
        Annotations::None => {}
    }
    formats.sort_unstable();
    formats.dedup();
    Ok(formats)
}

fn existing_folder(given: &Path) -> Result<PathBuf> {
    let next = "Give --project the folder that holds the project's pom.xml.";
    if given.is_file() {
        return Err(Error::usage(format!("{} is a file, not the folder of a project.", given.display()), next));
    }
    given.canonicalize().map_err(|error| {
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => format!("There is no folder {}.", given.display()),
            _ => format!("The folder {} cannot be read: {error}.", given.display()),
        };
        Error::usage(what, next)
    })
}

/// The change named by `--since` or `--in-diff`.
fn change_source(since: Option<String>, in_diff: Option<PathBuf>) -> Result<Option<change::Source>> {
    Ok(match (since, in_diff) {
        (Some(reference), _) => Some(change::Source::Since(reference)),
        (None, Some(file)) if change::is_standard_input(&file) => Some(change::Source::DiffOnStandardInput),
        // Any readable file will do: `<(git diff)` of a shell is a pipe.
        (None, Some(file)) => match std::path::absolute(&file).ok().filter(|file| file.exists() && !file.is_dir()) {
            Some(file) => Some(change::Source::DiffFile(file)),
            None => {
                return Err(Error::usage(
                    format!("There is no file {}.", file.display()),
                    "Give --in-diff the file that holds a diff, or `-` for standard input.",
                ));
            }
        },
        (None, None) => None,
    })
}

fn existing_file(given: &Path, next: &str) -> Result<PathBuf> {
    std::path::absolute(given)
        .ok()
        .filter(|file| file.is_file())
        .ok_or_else(|| Error::usage(format!("There is no file {}.", given.display()), next))
}

/// Removes duplicates and keeps the order.
pub(super) fn distinct(option: &str, names: Vec<String>) -> Result<Vec<String>> {
    let mut result: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::usage(
                format!("{option} was given an empty name."),
                "Separate names by one comma, without spaces.",
            ));
        }
        if !result.iter().any(|known| known == name) {
            result.push(name.to_owned());
        }
    }
    Ok(result)
}
