//! Writes annotations of GitHub Actions: workflow commands on standard output, which show findings
//! on the lines of a pull request.
//!
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use super::files::Files;
use super::message::Message;
use super::model::Report;
use super::order;
use crate::diagnose::Symptom;
use crate::text::words;
use std::fmt::Write as _;

/// GitHub shows at most this many annotations of one kind in a step.
const MOST: usize = 10;

/// Renders one command for each finding, most useful first, and one that counts the findings left
/// out.
pub(super) fn github(report: &Report, files: &Files<'_>) -> String {
    let groups = order::groups(report);
    let findings: Vec<_> = groups.iter().flat_map(|group| &group.findings).collect();
    let mut out = String::new();
    if let Some(interrupted) = report.interrupted {
        push(&mut out, "warning", &[("title", "reneri".to_owned())], &interrupted.sentence());
    }
    for finding in findings.iter().take(MOST) {
        let Some((first, said)) = finding.first().zip(Message::of(finding)) else { continue };
        let command = if said.symptom == Symptom::Undecided { "notice" } else { "warning" };
        let mut properties = Vec::new();
        if let Some(file) = &first.file {
            properties.push(("file", files.in_repository(file)));
            properties.extend(first.line.map(|line| ("line", line.to_string())));
        }
        properties.push(("title", said.title.clone()));
        push(&mut out, command, &properties, &said.text());
    }
    if let Some(more @ 1..) = findings.len().checked_sub(MOST) {
        let said = format!("{} in report.md.", words::count(more as u64, "more finding"));
        push(&mut out, "notice", &[("title", "reneri".to_owned())], &said);
    }
    out
}

fn push(out: &mut String, command: &str, properties: &[(&str, String)], text: &str) {
    let properties: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "::{command} {}::{}", properties.join(","), data(text));
}

/// Escapes the message, which follows the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which `,` and `:` would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
