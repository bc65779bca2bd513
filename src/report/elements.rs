//! Writes the JSON of mutation-testing-elements, which dashboards of mutation testing read.
//!
//! <https://github.com/stryker-mutator/mutation-testing-elements/tree/master/packages/report-schema>

use super::bodies::Bodies;
use super::files::Files;
use super::message::Message;
use super::model::{Entry, Report, Status};
use super::order::Finding;
use super::phrases;
use super::plain::plain;
use crate::base::error::{Error, Result};
use crate::instrument::Lines;
use crate::text::words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MutationTestResult<'a> {
    schema_version: &'static str,
    thresholds: Thresholds,
    framework: Framework<'a>,
    /// Says how far an interrupted analysis came.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Config>,
    files: BTreeMap<String, FileResult<'a>>,
    test_files: BTreeMap<String, TestFile>,
}

/// Percentages of detected transformations: dashboards show green from `high` on, and red below
/// `low`. The values are the defaults of the format's own tools.
#[derive(Serialize)]
struct Config {
    interrupted: String,
}

#[derive(Serialize)]
struct Thresholds {
    high: u8,
    low: u8,
}

#[derive(Serialize)]
struct Framework<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct FileResult<'a> {
    language: &'static str,
    source: String,
    mutants: Vec<Mutant<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mutant<'a> {
    id: &'a str,
    mutator_name: &'a str,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<String>,
    location: Location,
    status: MutantStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<String>,
    covered_by: &'a [String],
    killed_by: &'a [String],
}

#[derive(Serialize)]
enum MutantStatus {
    Killed,
    Survived,
    NoCoverage,
    Timeout,
    RuntimeError,
    Ignored,
}

#[derive(Serialize)]
struct Location {
    start: Position,
    end: Position,
}

/// Line and column, both from 1.
#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct TestFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    id: String,
    name: String,
}

/// Renders all transformations that have a source file: the format shows each one in its source.
pub(super) fn elements(report: &Report, files: &Files<'_>) -> Result<String> {
    let mut by_file: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &report.transformations {
        if let Some(file) = &entry.file {
            by_file.entry(file).or_default().push(entry);
        }
    }
    let result = MutationTestResult {
        schema_version: "2",
        thresholds: Thresholds { high: 80, low: 60 },
        framework: Framework { name: &report.tool.name, version: &report.tool.version },
        config: report.interrupted.map(|interrupted| Config { interrupted: interrupted.sentence() }),
        files: by_file
            .into_iter()
            .filter_map(|(file, entries)| Some((file.to_owned(), file_result(file, files.text(file)?, &entries))))
            .collect(),
        test_files: test_files(report, files),
    };
    let mut text = serde_json::to_string_pretty(&result)
        .map_err(|error| Error::bug(format!("The report cannot be written for mutation-testing-elements: {error}.")))?;
    text.push('\n');
    Ok(text)
}

fn file_result<'a>(file: &str, source: String, entries: &[&'a Entry]) -> FileResult<'a> {
    let bodies = Bodies::of(&source);
    let lines = Lines::new(&source);
    let mutants = entries.iter().map(|entry| mutant(entry, &source, &bodies, &lines)).collect();
    let language = match file.rsplit('.').next() {
        Some("kt") => "kotlin",
        Some("groovy") => "groovy",
        Some("scala") => "scala",
        _ => "java",
    };
    FileResult { language, source, mutants }
}

fn mutant<'a>(entry: &'a Entry, source: &str, bodies: &Bodies, lines: &Lines<'_>) -> Mutant<'a> {
    let line = entry.line.unwrap_or(1);
    let body = bodies.around(&entry.method, line);
    let replacement = match words::constant(&entry.transformation, &entry.descriptor) {
        None => Some("{ }".to_owned()),
        Some((constant, true)) => Some(format!("{{ return {constant}; }}")),
        Some((_, false)) => None,
    };
    let position = |byte| {
        let (line, column) = lines.position(byte);
        Position { line, column }
    };
    let location = match &body {
        Some(body) => Location { start: position(body.start), end: position(body.end) },
        None => whole_line(source, line),
    };
    let method = words::short_method(&entry.class, &entry.method, &entry.descriptor);
    Mutant {
        id: &entry.short_id,
        mutator_name: &entry.transformation,
        description: format!("{method} {}", plain(&phrases::did(&[entry]))),
        // If only a line is known, the replacement would not show the change that was run.
        replacement: replacement.filter(|_| body.is_some()),
        location,
        status: match entry.status {
            Status::Detected => MutantStatus::Killed,
            Status::Undetected if entry.accepted.is_some() => MutantStatus::Ignored,
            Status::Undetected => MutantStatus::Survived,
            Status::TimedOut => MutantStatus::Timeout,
            Status::NotCovered => MutantStatus::NoCoverage,
            Status::Quarantined => MutantStatus::Ignored,
            Status::FailedToRun => MutantStatus::RuntimeError,
        },
        status_reason: status_reason(entry),
        covered_by: &entry.covering_tests,
        killed_by: &entry.detected_by,
    }
}

fn status_reason(entry: &Entry) -> Option<String> {
    match entry.status {
        Status::Detected | Status::TimedOut => entry.killed_by.as_ref().map(|kill| {
            if kill.exception.is_empty() {
                kill.message.clone()
            } else {
                format!("{}: {}", kill.exception, kill.message)
            }
        }),
        Status::Undetected if entry.accepted.is_some() => {
            entry.accepted.as_ref().map(|reason| format!("Accepted: {reason}"))
        }
        Status::Undetected => Message::of(&Finding { entries: vec![entry] }).map(|said| said.text()),
        Status::Quarantined => Some("Only tests that do not pass reliably without any change run it.".to_owned()),
        Status::FailedToRun => entry.failure.clone(),
        Status::NotCovered => None,
    }
}

/// The range from the first character of a line that is not white space to its end.
fn whole_line(source: &str, line: u32) -> Location {
    let text = line.checked_sub(1).and_then(|index| source.lines().nth(usize::try_from(index).ok()?)).unwrap_or("");
    let column = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX).saturating_add(1);
    let indent = text.len() - text.trim_start().len();
    Location {
        start: Position { line, column: column(text.get(..indent).unwrap_or("")) },
        end: Position { line, column: column(text) },
    }
}

/// The tests that the transformations name, by source file, or by class if the source is unknown.
fn test_files(report: &Report, files: &Files<'_>) -> BTreeMap<String, TestFile> {
    let names: BTreeSet<&String> =
        report.transformations.iter().flat_map(|entry| entry.covering_tests.iter().chain(&entry.detected_by)).collect();
    let mut test_files: BTreeMap<String, TestFile> = BTreeMap::new();
    for name in names {
        let class = words::class_of_test(name);
        let file = files.of_class(class);
        let test_file = test_files
            .entry(file.clone().unwrap_or_else(|| class.to_owned()))
            .or_insert_with(|| TestFile { source: file.and_then(|file| files.text(&file)), tests: Vec::new() });
        test_file.tests.push(Test { id: name.clone(), name: words::short_test_name(name) });
    }
    test_files
}
