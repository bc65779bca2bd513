//! The pieces of Markdown that `report-templates/report.md.jinja` arranges for one finding.
//! Everything from the project is escaped here.

use super::flow::{self, Stop};
use super::links::{Links, md};
use super::mermaid::mermaid;
use super::model::{Entry, Evidence};
use super::order::Finding;
use super::phrases::{advice, and, because, did, passing};
use super::picture::{Picture, picture};
use super::plain::plain;
use super::symptoms;
use super::values::{Table, calls, differences, more, values};
use crate::base::error::{Error, Result};
use crate::diagnose::Symptom;
use crate::text::escape::{self, code, code_short};
use crate::text::words;
use minijinja::Value;
use serde::Serialize;

/// Longest name, in characters.
const NAME: usize = 80;

/// One finding for the templates. Each [`Value`] is finished Markdown.
#[derive(Serialize)]
pub(super) struct FindingView {
    pub folded: bool,
    /// Whether the baseline lacks it.
    pub new: bool,
    /// Short ids of its transformations.
    pub ids: Value,
    /// The anchor of the finding in `report.html`.
    pub id: String,
    pub symptom: Value,
    /// `returning always `true``
    pub did: Value,
    pub passing: Value,
    pub because: Value,
    /// A code block with the line of the test.
    pub line: Option<Value>,
    pub values: Option<Table>,
    pub differences: Vec<Value>,
    pub calls: Option<Table>,
    pub more: Option<Value>,
    pub stack: Option<Value>,
    /// The same way as a diagram.
    pub diagram: Option<Value>,
    pub picture: Option<Picture>,
    pub advice: Vec<Value>,
    /// The first patch among the suggestions, and the command that applies it.
    pub patch: Option<PatchView>,
    /// The advice in one short line.
    pub brief: Option<Value>,
}

/// A patch for the templates.
#[derive(Serialize)]
pub(super) struct PatchView {
    pub file: Value,
    pub lines: Value,
    pub diff: Value,
    /// The command that applies it.
    pub command: Value,
}

pub(super) fn finding_view(finding: &Finding<'_>, folded: bool, links: &Links<'_>) -> Result<FindingView> {
    let first = finding.first().ok_or_else(|| Error::bug("A finding without a transformation."))?;
    let symptom = first.symptom.unwrap_or(Symptom::Undecided);
    let evidence = first.evidence.first();
    // The line of the test that leads to the method, from a difference or from a call.
    let line = evidence.and_then(line_of_test);
    let (values, hidden) = values(finding, links).map_or((None, 0), |(table, hidden)| (Some(table), hidden));
    let calls = if symptom == Symptom::NoInfection { calls(first) } else { None };
    let did = did(&finding.entries);
    let flow = flow::flow(finding);
    let ids: Vec<String> = finding.entries.iter().map(|entry| code(&entry.short_id)).collect();
    Ok(FindingView {
        folded,
        new: first.is_new(),
        ids: md(and(&ids)),
        id: first.short_id.clone(),
        symptom: md(symptoms::word(symptom)),
        diagram: flow.as_ref().map(|flow| md(mermaid(flow, &plain(&did)))),
        picture: flow.as_ref().map(|flow| picture(flow, &plain(&did))),
        did: md(did),
        passing: md(passing(first)),
        because: md(because(first, symptom, links)),
        line: line.map(md),
        more: more(first, hidden).map(md),
        differences: differences(finding),
        values,
        calls,
        stack: path(first).map(md),
        advice: first.suggestions.iter().map(|suggestion| md(advice(suggestion, links))).collect(),
        patch: patch(first),
        brief: first.suggestions.first().map(|suggestion| md(suggestion.brief.clone())),
    })
}

/// A code block with the line of the test's source.
fn line_of_test(evidence: &Evidence) -> Option<String> {
    let source = evidence.source.as_deref()?;
    let language = match evidence.file.as_deref().and_then(|file| file.rsplit('.').next()) {
        Some("kt") => "kotlin",
        Some("groovy") => "groovy",
        Some("scala") => "scala",
        _ => "java",
    };
    Some(escape::block(&escape::shorten(source, 200).0, language))
}

/// The way from the test to the method; a long one is cut in the middle.
fn path(entry: &Entry) -> Option<String> {
    let stops: Vec<String> = flow::stops(&flow::way(entry)?).iter().map(stop_words).collect();
    Some(stops.join(" → "))
}

/// `StackTest.pops` (line 40)
fn stop_words(stop: &Stop) -> String {
    match stop {
        Stop::Cut(number) => format!("… {number} more …"),
        Stop::Frame(frame) => {
            let name = code_short(&frame.short_name(), NAME);
            frame.line.map_or_else(|| name.clone(), |line| format!("{name} (line {line})"))
        }
    }
}

fn patch(entry: &Entry) -> Option<PatchView> {
    let suggestion = entry.suggestions.iter().find(|suggestion| suggestion.patch.is_some())?;
    let (diff, fix) = suggestion.patch.as_deref().zip(suggestion.fix.as_ref())?;
    let name = suggestion.file.as_deref().and_then(|file| file.rsplit('/').next()).unwrap_or_default();
    Some(PatchView {
        file: md(format!("<code>{}</code>", escape::entities(name))),
        lines: md(words::count(fix.new_lines as u64, "new line")),
        diff: md(escape::block(diff.trim_end(), "diff")),
        command: md(code(&format!("reneri fix {} --apply", entry.short_id))),
    })
}
