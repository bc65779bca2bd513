//! From a report to `report.md`, what people read in a pull request: a short summary, a handful of findings in full, the rest folded.

use super::model::{Entry, Report, Status};
use super::order::{self, Group};
use super::symptoms::{symptom_texts, word};
use super::view::{self, FindingView, Links, md};
use crate::diagnose::Symptom;
use crate::error::{Error, Result};
use crate::suggest::escape::{self, code, html};
use crate::suggest::rules::markdown_environment;
use crate::suggest::words;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;
use std::path::{Component, Path};

const TEMPLATE: &str = include_str!("../../report-templates/report.md.jinja");

/// Most findings that are not folded.
const EXPANDED: usize = 7;
/// Most entries of a folded list: whoever wants all of them reads `report.json`.
const LISTED: usize = 100;

/// The findings of one method, as the template takes them.
#[derive(Serialize)]
struct GroupView {
    number: usize,
    anchor: String,
    /// Code span of the method.
    method: Value,
    /// The same for `<summary>`.
    method_html: Value,
    /// In a few words each, for the list at the top.
    overview: Value,
    place: Option<Value>,
    findings: Vec<FindingView>,
    folded: bool,
}

/// How a link gets from a file in `folder` to the project's base directory: `../../`. `None` when the folder is not inside the project.
#[must_use]
pub fn link_base(folder: &Path, base_directory: &Path) -> Option<String> {
    let inside = folder.strip_prefix(base_directory).ok()?;
    let mut base = String::new();
    for component in inside.components() {
        match component {
            Component::Normal(_) => base.push_str("../"),
            _ => return None,
        }
    }
    Some(base)
}

/// `report.md`. `link_base` is what leads from the report's folder to the project ([`link_base()`]); without it places are named, not linked.
///
/// # Errors
/// Only by a bug of reneri: when the template cannot be filled in.
pub fn markdown(report: &Report, link_base: Option<&str>) -> Result<String> {
    let links = Links(link_base);
    let groups = order::groups(report);
    let mut views = Vec::with_capacity(groups.len());
    let mut expanded = 0;
    let mut folding = false;
    for (index, group) in groups.iter().enumerate() {
        // The first group is always open; after the first folded one all are.
        folding = folding || (index > 0 && expanded + group.findings.len() > EXPANDED);
        expanded += group.findings.len();
        views.push(group_view(group, index + 1, folding, &links)?);
    }
    let open = views.iter().filter(|view| !view.folded).count();
    let legend: Vec<Value> = symptom_texts()?
        .iter()
        .filter(|text| report.transformations.iter().any(|entry| entry.symptom == Some(text.name)))
        .map(|text| md(format!("**{}**: {}. → {}.", word(text.name), text.short, text.remedy)))
        .collect();
    let left_out: Vec<Value> = report
        .tests
        .reasons
        .iter()
        .take(LISTED)
        .map(|reason| {
            let kind =
                if report.tests.failing.contains(&reason.test) { "fails without any change" } else { "unstable" };
            md(format!("{} {kind}: {}", code(&view::short_name(&reason.test)), escape::code_short(&reason.reason, 200)))
        })
        .collect();
    let context = context! {
        project => md(escape::code_short(&report.project.name, 100)),
        summary => Value::from(Serde(&report.summary)),
        tests => report.tests.total,
        runs => report.settings.runs,
        findings => groups.iter().map(|group| group.findings.len()).sum::<usize>(),
        legend => legend,
        groups => Value::from(Serde(&views)),
        open => open,
        left_out => left_out,
        left_out_count => report.tests.reasons.len(),
        unseen => report.tests.probes.as_ref().map(|probes| probes
            .left_out
            .iter()
            .take(LISTED)
            .map(|left| md(format!("{}: {}", code(&left.file), escape::code_short(&left.reason, 200))))
            .collect::<Vec<_>>()).unwrap_or_default(),
        not_covered => Value::from(Serde(listed(report, Status::NotCovered, &links))),
        timed_out => Value::from(Serde(listed(report, Status::TimedOut, &links))),
        quarantined => Value::from(Serde(listed(report, Status::Quarantined, &links))),
        failed => Value::from(Serde(listed(report, Status::FailedToRun, &links))),
        version => md(report.tool.version.clone()),
    };
    let mut environment = markdown_environment();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| Error::bug(format!("minijinja refuses its settings: {error}.")))?);
    let rendered = environment
        .render_str(TEMPLATE, context)
        .map_err(|error| Error::bug(format!("report-templates/report.md.jinja cannot be filled in: {error:#}.")))?;
    Ok(tidy(&rendered))
}

/// No line ends in white space, no two empty lines follow each other, one newline at the end. Blocks of code hold no empty line of ours.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<String> = None;
    let mut empty = true;
    for line in text.lines() {
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            // With a backtick behind the fence it is a code span (CommonMark, "Fenced code blocks").
            None if line.starts_with("```") && !line.trim_start_matches('`').contains('`') => {
                fence = Some(line.chars().take_while(|&c| c == '`').collect());
            }
            None if line.trim().is_empty() => {
                empty = true;
                continue;
            }
            None => {}
        }
        if empty && !out.is_empty() {
            out.push('\n');
        }
        empty = false;
        out.push_str(if fence.is_some() { line } else { line.trim_end() });
        out.push('\n');
    }
    out
}

fn group_view(group: &Group<'_>, number: usize, folded: bool, links: &Links<'_>) -> Result<GroupView> {
    let first = group.first().ok_or_else(|| Error::bug("A group of findings without a finding."))?;
    let name = words::short_method(&first.class, &first.method, &first.descriptor);
    let overview: Vec<String> = group
        .findings
        .iter()
        .filter_map(|finding| {
            let symptom = finding.first()?.symptom.unwrap_or(Symptom::Undecided);
            Some(format!("{}: {}", view::did(&finding.entries), word(symptom)))
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
            .map(|finding| view::finding_view(finding, links))
            .collect::<Result<Vec<_>>>()?,
        folded,
    })
}

/// The methods with a transformation of that status, in the order of the report, each once.
#[derive(Serialize)]
struct Listed {
    count: usize,
    items: Vec<Value>,
    more: usize,
}

fn listed(report: &Report, status: Status, links: &Links<'_>) -> Listed {
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
            _ => format!(" {}", view::did(entries)),
        };
        let reason = first.failure.as_deref().map(|reason| format!(": {}", escape::code_short(reason, 200)));
        let by = first
            .killed_by
            .as_ref()
            .map(|kill| format!(", in {}", escape::code_short(&view::short_name(&kill.test), 120)));
        Some(md(format!("{method}{which}{}{}", reason.unwrap_or_default(), by.unwrap_or_default())))
    });
    Listed { count, items: items.collect(), more: count.saturating_sub(LISTED) }
}
