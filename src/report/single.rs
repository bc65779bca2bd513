//! Shows one transformation in the words of `report.md`: its finding, or its result if it is not a
//! finding.

use super::links::{Links, md};
use super::markdown::tidy;
use super::model::{Entry, Report, Status};
use super::order;
use super::phrases;
use super::template::Template;
use super::view;
use crate::base::error::Result;
use crate::suggest::rules::markdown_environment;
use crate::text::escape::{self, code, code_short};
use crate::text::words;
use minijinja::context;
use minijinja::value::Serde;

const SHOW: Template = Template { name: "show.md.jinja", text: include_str!("../../report-templates/show.md.jinja") };

/// The transformations with this id, long or short. Methods of several modules may share a long id.
#[must_use]
pub fn find<'a>(report: &'a Report, id: &str) -> Vec<&'a Entry> {
    let has = |entry: &&Entry| entry.short_id.eq_ignore_ascii_case(id) || entry.id == id;
    report.transformations.iter().filter(has).collect()
}

/// Short and long ids: first those of all findings, in the order of the report for people, then
/// those of all other transformations.
#[must_use]
pub fn ids(report: &Report) -> Vec<(&str, &str)> {
    let groups = [order::groups(report), order::accepted(report)].concat();
    let findings = groups.iter().flat_map(|group| &group.findings).flat_map(|finding| finding.entries.iter().copied());
    let others = report.transformations.iter().filter(|entry| entry.status != Status::Undetected);
    findings.chain(others).map(|entry| (entry.short_id.as_str(), entry.id.as_str())).collect()
}

/// Renders Markdown without links: a terminal shows file names instead.
///
/// # Errors
/// Only if reneri has a bug: if the template cannot be filled in.
pub fn single(report: &Report, entry: &Entry) -> Result<String> {
    let groups = [order::groups(report), order::accepted(report)].concat();
    let finding = groups
        .iter()
        .flat_map(|group| &group.findings)
        .find(|finding| finding.entries.iter().any(|member| std::ptr::eq(*member, entry)));
    let name = words::short_method(&entry.class, &entry.method, &entry.descriptor);
    let Some(finding) = finding else { return Ok(no_finding(entry, &name)) };
    let links = Links(None);
    let place = entry.file.as_deref().map(|file| {
        let label = entry.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
        md(links.to(file, entry.line, &label))
    });
    // Folded, so that it has no diagram, which only hosting services draw.
    let finding_view = view::finding_view(finding, true, &links)?;
    // The project wrote this text itself and reads it on its own terminal, so that entities would
    // only disturb.
    let accepted = entry.accepted.as_deref().map(|reason| md(escape::visible(reason).into_owned()));
    let method = md(code_short(&name, 160));
    let values = context! { method => method, place => place, one => Serde(finding_view), accepted => accepted };
    Ok(tidy(&SHOW.fill_in(markdown_environment(), values)?))
}

fn no_finding(entry: &Entry, name: &str) -> String {
    let because = match entry.status {
        Status::NotCovered => "no test runs the method".to_owned(),
        Status::Quarantined => "only tests that are left out, because they are not reliable, run the method".to_owned(),
        Status::FailedToRun => {
            format!("it could not be run: {}", code_short(entry.failure.as_deref().unwrap_or_default(), 200))
        }
        Status::Undetected => "no test notices it".to_owned(),
        Status::Detected | Status::TimedOut => killed(entry),
    };
    format!("# {} {}\n\nNo finding: {because}.\n", code_short(name, 160), phrases::did(&[entry]))
}

fn killed(entry: &Entry) -> String {
    let Some(kill) = &entry.killed_by else { return "a test notices it".to_owned() };
    let test = code_short(&words::short_test_name(&kill.test), 120);
    match (entry.status, kill.exception.as_str(), kill.message.as_str()) {
        (Status::TimedOut, ..) | (_, "", _) => format!("{test} no longer ends with it"),
        (_, exception, "") => format!("{test} fails with it ({})", code(exception)),
        (_, exception, message) => {
            format!("{test} fails with it ({}: {})", code(exception), escape::code_short(message, 200))
        }
    }
}
