//! The values that templates show of a report: counts, findings grouped by method, and lists of
//! everything else.

use super::links::{Links, md};
use super::model::{Baseline, Entry, FormerFinding, Report, Status, Summary};
use super::order::{self, Group};
use super::phrases;
use super::scope::sentences;
use super::symptoms::{symptom_texts, word};
use super::view::{self, FindingView};
use crate::base::error::{Error, Result};
use crate::diagnose::Symptom;
use crate::text::escape::{self, code, html};
use crate::text::words;
use minijinja::Value;
use serde::Serialize;

/// Most findings that are not folded.
const EXPANDED: usize = 7;
/// Most entries of a folded list. `report.json` has all of them.
const LISTED: usize = 100;

/// A whole report. Each [`Value`] is finished Markdown.
#[derive(Serialize)]
pub(super) struct Page<'a> {
    project: Value,
    version: Value,
    /// The command that gives the same report again.
    command: Value,
    /// The command that checks whether a finding is still one.
    verify: Value,
    /// The restriction of the analysis, if there is one.
    scope: Option<Value>,
    summary: &'a Summary,
    /// The number of undetected changes that tests catch in some runs only.
    caught_at_times: usize,
    /// The file of the baseline, if there is one, with the number of new and gone findings.
    baseline: Option<Value>,
    /// Number of tests in the project.
    tests: usize,
    runs: u32,
    /// Number of findings.
    pub findings: usize,
    legend: Vec<Value>,
    groups: Vec<GroupView>,
    left_out: Vec<Value>,
    left_out_count: usize,
    unseen: Vec<Value>,
    not_covered: ShortenedList,
    timed_out: ShortenedList,
    quarantined: ShortenedList,
    failed: ShortenedList,
    /// Place, change and reason of each accepted finding.
    accepted: ShortenedList,
    /// Findings of the baseline, each with its current state.
    gone: ShortenedList,
}

/// The findings of one method.
#[derive(Serialize)]
struct GroupView {
    number: usize,
    anchor: String,
    /// Code span of the method.
    method: Value,
    /// The same as HTML, for `<summary>`.
    method_html: Value,
    /// All findings in a few words each, for the list at the top.
    overview: Value,
    place: Option<Value>,
    findings: Vec<FindingView>,
    /// Whether all findings are folded.
    folded: bool,
}

pub(super) fn page<'a>(report: &'a Report, links: &Links<'_>) -> Result<Page<'a>> {
    let groups = order::groups(report);
    let mut views = Vec::with_capacity(groups.len());
    // The findings of one method are folded or expanded together, except those of the first method.
    let mut room = EXPANDED;
    for (index, group) in groups.iter().enumerate() {
        if index > 0 && group.findings.len() > room {
            room = 0;
        }
        let open = room.min(group.findings.len());
        room -= open;
        views.push(group_view(group, index + 1, open, links)?);
    }
    let legend = symptom_texts()?
        .iter()
        .filter(|text| report.transformations.iter().any(|entry| entry.is_open() && entry.symptom == Some(text.name)))
        .map(|text| md(format!("**{}**: {}. → {}.", word(text.name), text.short, text.remedy)))
        .collect();
    let left_out = report
        .tests
        .reasons
        .iter()
        .take(LISTED)
        .map(|reason| {
            let kind =
                if report.tests.failing.contains(&reason.test) { "fails without any change" } else { "unstable" };
            md(format!(
                "{} {kind}: {}",
                code(&words::short_test_name(&reason.test)),
                escape::code_short(&reason.reason, 200)
            ))
        })
        .collect();
    let unseen = report.tests.probes.iter().flat_map(|probes| &probes.left_out).take(LISTED);
    Ok(Page {
        project: md(escape::code_short(&report.project.name, 100)),
        version: md(report.tool.version.clone()),
        command: md(code(&report.settings.command)),
        verify: md(code("reneri verify ID")),
        scope: sentences(report).map(md),
        summary: &report.summary,
        caught_at_times: report.transformations.iter().filter(|entry| !entry.sometimes_detected_by.is_empty()).count(),
        baseline: report.baseline.as_ref().map(|baseline| md(since(baseline))),
        tests: report.tests.total,
        runs: report.settings.runs,
        findings: groups.iter().map(|group| group.findings.len()).sum(),
        legend,
        groups: views,
        left_out,
        left_out_count: report.tests.reasons.len(),
        unseen: unseen
            .map(|left| md(format!("{}: {}", code(&left.file), escape::code_short(&left.reason, 200))))
            .collect(),
        not_covered: listed(report, Status::NotCovered, links),
        timed_out: listed(report, Status::TimedOut, links),
        quarantined: listed(report, Status::Quarantined, links),
        failed: listed(report, Status::FailedToRun, links),
        accepted: accepted(report, links),
        gone: gone(report),
    })
}

/// The comparison with the baseline, in Markdown.
pub(super) fn since(baseline: &Baseline) -> String {
    format!("**Since the baseline {}:** {}.", escape::code_short(&baseline.file, 100), baseline.counts())
}

fn gone(report: &Report) -> ShortenedList {
    let all = report.baseline.as_ref().map_or(&[][..], |baseline| &baseline.gone);
    let killer = |gone: &FormerFinding| {
        let now = report.transformations.iter().find(|entry| entry.id == gone.id && entry.status != Status::Undetected);
        now.and_then(|entry| Some(escape::code_short(&words::short_test_name(&entry.killed_by.as_ref()?.test), 120)))
    };
    let item = |gone: &FormerFinding| {
        let method = escape::code_short(&words::short_method(&gone.class, &gone.method, &gone.descriptor), 160);
        let did = phrases::did_one(&gone.transformation, &gone.descriptor);
        let now = match (gone.status, killer(gone)) {
            (None, _) => "the method is not there any more, or a rule leaves it out".to_owned(),
            (Some(Status::NotCovered), _) => "no test runs the method any more".to_owned(),
            (Some(Status::TimedOut), Some(test)) => format!("{test} no longer ends with it"),
            (_, Some(test)) => format!("{test} fails with it"),
            (_, None) => "a test notices it".to_owned(),
        };
        md(format!("{method} {did}: {now} · finding {}", code(&gone.short_id)))
    };
    let items = all.iter().take(LISTED).map(item).collect();
    ShortenedList { count: all.len(), items, more: all.len().saturating_sub(LISTED) }
}

fn accepted(report: &Report, links: &Links<'_>) -> ShortenedList {
    let groups = order::accepted(report);
    let entries = groups.iter().flat_map(|group| &group.findings).flat_map(|finding| finding.entries.iter().copied());
    let line = |entry: &Entry| {
        let reason = entry.accepted.as_deref()?;
        let name = words::short_method(&entry.class, &entry.method, &entry.descriptor);
        let method = match &entry.file {
            Some(file) => links.to(file, entry.line, &escape::shorten(&name, 160).0),
            None => escape::code_short(&name, 160),
        };
        let symptom = word(entry.symptom.unwrap_or(Symptom::Undecided));
        let did = phrases::did(&[entry]);
        Some(md(format!("{method} {did} ({symptom}): {} · finding {}", phrases::reason(reason), code(&entry.short_id))))
    };
    let lines: Vec<Value> = entries.filter_map(line).collect();
    let count = lines.len();
    ShortenedList { count, items: lines.into_iter().take(LISTED).collect(), more: count.saturating_sub(LISTED) }
}

/// Shows a group with its first `open` findings expanded.
fn group_view(group: &Group<'_>, number: usize, open: usize, links: &Links<'_>) -> Result<GroupView> {
    let first = group.first().ok_or_else(|| Error::bug("A group of findings without a finding."))?;
    let name = words::short_method(&first.class, &first.method, &first.descriptor);
    let overview: Vec<String> = group
        .findings
        .iter()
        .filter_map(|finding| {
            let first = finding.first()?;
            let symptom = first.symptom.unwrap_or(Symptom::Undecided);
            let new = if first.is_new() { ", **new**" } else { "" };
            Some(format!("{}: {}{new}", phrases::did(&finding.entries), word(symptom)))
        })
        .collect();
    Ok(GroupView {
        number,
        anchor: format!("finding-{number}"),
        method: md(escape::code_short(&name, 160)),
        method_html: md(format!("<code>{}</code>", html(&name, 160))),
        overview: md(overview.join("; ")),
        place: first.file.as_deref().map(|file| {
            let label = first.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
            md(links.to(file, first.line, &label))
        }),
        findings: group
            .findings
            .iter()
            .enumerate()
            .map(|(index, finding)| view::finding_view(finding, index >= open, links))
            .collect::<Result<Vec<_>>>()?,
        folded: open == 0,
    })
}

/// The first items of a list.
#[derive(Serialize)]
struct ShortenedList {
    /// The length of the whole list.
    count: usize,
    items: Vec<Value>,
    /// The number of items that are left out.
    more: usize,
}

/// The methods that have a transformation with this status, in the order of the report, each once.
fn listed(report: &Report, status: Status, links: &Links<'_>) -> ShortenedList {
    let mut methods: Vec<(Vec<&Entry>, String)> = Vec::new();
    for entry in report.transformations.iter().filter(|entry| entry.status == status) {
        let name = words::short_method(&entry.class, &entry.method, &entry.descriptor);
        match methods.last_mut() {
            Some((entries, last))
                if *last == name && entries.first().is_some_and(|first| first.class == entry.class) =>
            {
                entries.push(entry);
            }
            _ => methods.push((vec![entry], name)),
        }
    }
    let count = methods.len();
    let items = methods.iter().take(LISTED).filter_map(|(entries, name)| {
        let first = entries.first()?;
        let name = escape::shorten(name, 160).0;
        let method = match &first.file {
            Some(file) => links.to(file, first.line, &name),
            None => code(&name),
        };
        let which = match status {
            Status::NotCovered => String::new(),
            _ => format!(" {}", phrases::did(entries)),
        };
        let reason = first.failure.as_deref().map(|reason| format!(": {}", escape::code_short(reason, 200)));
        let by = first
            .killed_by
            .as_ref()
            .map(|kill| format!(", in {}", escape::code_short(&words::short_test_name(&kill.test), 120)));
        Some(md(format!("{method}{which}{}{}", reason.unwrap_or_default(), by.unwrap_or_default())))
    });
    ShortenedList { count, items: items.collect(), more: count.saturating_sub(LISTED) }
}
