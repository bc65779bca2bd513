//! Writes GitLab's code quality report, which shows findings in a merge request.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use super::files::Files;
use super::message::Message;
use super::model::Report;
use super::order;
use super::symptoms::word;
use crate::base::error::{Error, Result};
use crate::diagnose::Symptom;
use serde::Serialize;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    /// GitLab shows only one issue per fingerprint.
    fingerprint: String,
    severity: Severity,
    location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Info,
    Minor,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Renders one issue for each finding with a known source: GitLab rejects issues without a place.
pub(super) fn gitlab(report: &Report, files: &Files<'_>) -> Result<String> {
    let partial = report.interrupted.map_or_else(String::new, |interrupted| format!("{} ", interrupted.sentence()));
    let issues: Vec<Issue> = order::groups(report)
        .iter()
        .flat_map(|group| &group.findings)
        .filter_map(|finding| {
            let first = finding.first()?;
            let said = Message::of(finding)?;
            Some(Issue {
                description: format!("{partial}{}: {}", word(said.symptom), said.text().replace('\n', " ")),
                check_name: format!("reneri/{}", word(said.symptom)),
                fingerprint: first.short_id.clone(),
                severity: if said.symptom == Symptom::Undecided { Severity::Info } else { Severity::Minor },
                location: Location {
                    path: files.in_repository(first.file.as_deref()?),
                    lines: Lines { begin: first.line.unwrap_or(1) },
                },
            })
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&issues)
        .map_err(|error| Error::bug(format!("The report cannot be written for GitLab: {error}.")))?;
    text.push('\n');
    Ok(text)
}
