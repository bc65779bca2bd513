//! Writes the summary that ends a run on the terminal: counts, the most useful findings, and the
//! path of the report.

use super::model::{Entry, Report, Suggestion};
use super::order::{self, Finding};
use super::page::since;
use super::plain::plain;
use super::scope::sentences;
use super::symptoms::word;
use crate::diagnose::Symptom;
use crate::text::escape::{shorten, visible};
use crate::text::words;
use std::fmt::Write as _;

/// Most findings that are named.
const NAMED: usize = 3;
/// Longest advice, in characters: two lines of a terminal.
const ADVICE: usize = 200;

/// Renders plain text without colours, ending in a newline. `path` is how the user reaches
/// `report.md`: `target/reneri/report.md`.
#[must_use]
pub fn summary(report: &Report, path: &str) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_summary(&mut out, report, path);
    out
}

fn write_summary(out: &mut String, report: &Report, path: &str) -> std::fmt::Result {
    let counts = &report.summary;
    if let Some(sentences) = sentences(report) {
        writeln!(out, "{}", plain(&sentences))?;
        if report.scope.as_ref().is_some_and(|scope| scope.methods == 0) {
            return writeln!(out, "\nReport: {path}");
        }
    }
    let changes = |number: usize| words::count(number as u64, "transformation");
    writeln!(
        out,
        "{} of {}: {} detected, {} undetected, {} not covered{}{}{}.",
        changes(counts.transformations),
        words::count(counts.methods as u64, "method"),
        counts.detected + counts.timed_out,
        counts.undetected,
        counts.not_covered,
        if counts.timed_out > 0 { format!(" ({} detected by time-out)", counts.timed_out) } else { String::new() },
        if counts.quarantined > 0 {
            format!(", {} run by quarantined tests only", counts.quarantined)
        } else {
            String::new()
        },
        if counts.failed_to_run > 0 { format!(", {} failed to run", counts.failed_to_run) } else { String::new() },
    )?;
    let by_symptom: Vec<String> = [
        (Symptom::WeakOracle, counts.weak_oracle),
        (Symptom::NoPropagation, counts.no_propagation),
        (Symptom::NoInfection, counts.no_infection),
        (Symptom::Undecided, counts.undecided),
    ]
    .into_iter()
    .filter(|(_, number)| *number > 0)
    .map(|(symptom, number)| format!("{number} {}", word(symptom)))
    .collect();
    if !by_symptom.is_empty() {
        writeln!(out, "Undetected: {}.", by_symptom.join(", "))?;
    }
    if counts.accepted > 0 {
        writeln!(out, "{} of them accepted, {} left.", counts.accepted, report.open())?;
    }
    if let Some(baseline) = &report.baseline {
        writeln!(out, "{}", plain(&since(baseline)))?;
    }
    if !report.tests.reasons.is_empty() {
        let number = report.tests.reasons.len();
        let verb = if number == 1 { "was" } else { "were" };
        writeln!(out, "{} {verb} left out: not reliable without any change.", words::count(number as u64, "test"))?;
    }
    let groups = order::groups(report);
    let findings: Vec<&Finding<'_>> = groups.iter().flat_map(|group| &group.findings).collect();
    for finding in findings.iter().take(NAMED) {
        let Some(first) = finding.first() else { continue };
        writeln!(out)?;
        let new = if first.is_new() { ", new" } else { "" };
        writeln!(out, "{}  {}{new}", place(first), word(first.symptom.unwrap_or(Symptom::Undecided)))?;
        let method = words::short_method(&first.class, &first.method, &first.descriptor);
        let (did, claim) = (plain(&super::phrases::did(&finding.entries)), super::phrases::claim(first));
        writeln!(out, "  {} {did}: {claim}.", visible(&method))?;
        if let Some(advice) = first.suggestions.first() {
            writeln!(out, "  {}", shorten(&plain(&advice.brief), ADVICE).0)?;
        }
    }
    let proven = super::open_entries(report)
        .into_iter()
        .filter(|entry| entry.suggestions.iter().any(Suggestion::is_proven))
        .count();
    if proven > 0 {
        let (has, them) = if proven == 1 { ("has", "it") } else { ("have", "them") };
        let findings = words::count(proven as u64, "finding");
        writeln!(out, "\n{findings} {has} a proven patch: `reneri fix --all --apply` writes {them} to the tests.")?;
    }
    writeln!(out)?;
    match findings.len().saturating_sub(NAMED) {
        0 => writeln!(out, "Report: {path}"),
        more => writeln!(out, "{} and all evidence: {path}", words::count(more as u64, "more finding")),
    }
}

fn place(entry: &Entry) -> String {
    let file = entry.file.as_deref().unwrap_or(&entry.class);
    match entry.line {
        Some(line) => format!("{}:{line}", visible(file)),
        None => visible(file).into_owned(),
    }
}
