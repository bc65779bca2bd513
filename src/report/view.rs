//! From one finding to the pieces of Markdown that `report-templates/report.md.jinja` puts in order. All that comes from the project is escaped here.

use super::flow::{self, Stop};
use super::mermaid::mermaid;
use super::model::{Entry, Evidence};
use super::order::Finding;
use super::picture::{Picture, picture};
use super::plain::plain;
use super::symptoms;
use super::values::{Table, calls, differences, more, values};
use crate::base::error::{Error, Result};
use crate::diagnose::{At, Symptom};
use crate::text::escape::{self, code, code_short};
use crate::text::words;
use minijinja::Value;
use serde::Serialize;

/// Most names in a list of tests.
const TESTS: usize = 4;
/// Longest reason for which something is accepted, in characters.
const REASON: usize = 300;
/// Longest name, in characters.
const NAME: usize = 80;

/// One finding, as the templates take it. Each [`Value`] is finished Markdown.
#[derive(Serialize)]
pub(super) struct FindingView {
    pub folded: bool,
    /// The baseline does not have it.
    pub new: bool,
    /// Short ids of its transformations.
    pub ids: Value,
    /// What finds it in the address of `report.html`.
    pub id: String,
    pub symptom: Value,
    /// `returning always `true``
    pub did: Value,
    pub passing: Value,
    pub because: Value,
    /// Block of the line of the test.
    pub line: Option<Value>,
    pub values: Option<Table>,
    pub differences: Vec<Value>,
    pub calls: Option<Table>,
    pub more: Option<Value>,
    pub stack: Option<Value>,
    /// The same way, drawn.
    pub diagram: Option<Value>,
    pub picture: Option<Picture>,
    pub advice: Vec<Value>,
    /// Unified diff of the first advice with a patch, and what applies it.
    pub patch: Option<PatchView>,
    /// The advice in one short line.
    pub brief: Option<Value>,
}

/// A patch, as the templates take it.
#[derive(Serialize)]
pub(super) struct PatchView {
    pub file: Value,
    pub lines: Value,
    pub diff: Value,
    /// What applies it.
    pub command: Value,
}

/// Text that is Markdown already.
pub(super) fn md(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

/// How links reach the project's files from the report; `None`: the report lies where no relative link leads to them.
pub(super) struct Links<'a>(pub Option<&'a str>);

impl Links<'_> {
    /// `[src/main/java/Foo.java:12](../../src/main/java/Foo.java#L12)`; `label` is what stands in the code span.
    pub fn to(&self, file: &str, line: Option<u32>, label: &str) -> String {
        let label = code(label);
        match self.0 {
            None => label,
            Some(base) => {
                let anchor = line.map(|line| format!("#L{line}")).unwrap_or_default();
                format!("[{label}]({base}{}{anchor})", escape::link_target(file))
            }
        }
    }

    pub fn to_place(&self, file: &str, line: Option<u32>) -> String {
        let name = file.rsplit('/').next().unwrap_or(file);
        match line {
            Some(line) => self.to(file, Some(line), &format!("{name}:{line}")),
            None => self.to(file, None, name),
        }
    }
}

/// What was done to the method, for a clause that begins with its name.
pub(super) fn did(entries: &[&Entry]) -> String {
    did_all(entries.iter().map(|entry| (entry.transformation.as_str(), entry.descriptor.as_str())))
}

pub(super) fn did_one(transformation: &str, descriptor: &str) -> String {
    did_all([(transformation, descriptor)])
}

fn did_all<'a>(of: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let constants: Vec<String> = of
        .into_iter()
        .filter_map(|(transformation, descriptor)| words::constant(transformation, descriptor))
        .map(|(text, source)| if source { code(&text) } else { text })
        .collect();
    match constants.split_last() {
        None => "doing nothing".to_owned(),
        Some((only, [])) => format!("returning always {only}"),
        Some((last, others)) => format!("returning always {} or {last}", others.join(", ")),
    }
}

pub(super) fn finding_view(finding: &Finding<'_>, folded: bool, links: &Links<'_>) -> Result<FindingView> {
    let first = finding.first().ok_or_else(|| Error::bug("A finding without a transformation."))?;
    let symptom = first.symptom.unwrap_or(Symptom::Undecided);
    let evidence = first.evidence.first();
    // The line that leads to the method: of the difference, or of a call.
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

pub(super) fn passing(entry: &Entry) -> String {
    let tests = &entry.covering_tests;
    let names: Vec<String> = tests.iter().take(TESTS).map(|test| code_short(&short_name(test), NAME)).collect();
    let more = tests.len().saturating_sub(TESTS);
    let list = if more > 0 { format!("{} and {more} more", names.join(", ")) } else { and(&names) };
    match (entry.skipped_tests.len(), tests.len()) {
        (0, 0) => "its tests still pass".to_owned(),
        (0, 1) => format!("the one test that runs it still passes: {list}"),
        (0, 2) => format!("both tests that run it still pass: {list}"),
        (0, n) => format!("all {n} tests that run it still pass: {list}"),
        (1, 1) => format!("the one test that runs it does not fail: it is skipped ({list})"),
        (skipped, n) if skipped == n => format!("none of the {n} tests that run it fails: all are skipped ({list})"),
        (skipped, n) => format!("none of the {n} tests that run it fails ({skipped} skipped): {list}"),
    }
}

fn and(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

pub(super) fn because(entry: &Entry, symptom: Symptom, links: &Links<'_>) -> String {
    let evidence = entry.evidence.first();
    let place = evidence.and_then(|evidence| Some(links.to_place(evidence.file.as_deref()?, evidence.line)));
    match (symptom, evidence) {
        (Symptom::WeakOracle, Some(evidence)) => {
            let at = place.map(|place| format!(" at {place}")).unwrap_or_default();
            let column = evidence.column.map(|column| format!(", column {column}")).unwrap_or_default();
            format!(
                "The difference reaches {}{at}{column}, and no assertion depends on it",
                code_short(&short_name(&evidence.test), NAME)
            )
        }
        (Symptom::NoPropagation, Some(evidence)) => {
            let from = place.map(|place| format!(" from {place}")).unwrap_or_default();
            format!(
                "Called{from} during {}, it leaves a difference behind, but no expression of a test sees it{}",
                code_short(&short_name(&evidence.test), NAME),
                // A test may still see it where the symptom does not look (DESIGN.md §2, "State of a value").
                if entry.evidence.iter().any(|evidence| evidence.at == At::Test) {
                    ", except deeper in its state than one level"
                } else {
                    ""
                }
            )
        }
        (Symptom::NoInfection, deep) => {
            let same = match entry.transformation.as_str() {
                "void" => "its body changes nothing that was looked at",
                _ => "the original returns just that",
            };
            let deeper = if deep.is_some() { ". Only deeper than the symptom looks there is a difference" } else { "" };
            format!("In every call that the tests make, {same}{deeper}")
        }
        (Symptom::Undecided, _) => {
            let reason = entry.undecided_because.as_deref().unwrap_or_default().trim().trim_end_matches('.');
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", escape::prose(reason)) };
            format!("Why the tests do not notice could not be found out{reason}")
        }
        (Symptom::WeakOracle, None) => "A difference reaches a test, and no assertion depends on it".to_owned(),
        (Symptom::NoPropagation, None) => {
            "It leaves a difference behind, but no expression of a test sees it".to_owned()
        }
    }
}

/// The line of the test's source, as a block under its place.
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

/// From the test to the method; a long way is cut in the middle.
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

/// Why something is accepted, on one line.
pub(super) fn reason(accepted: &str) -> String {
    let line = accepted.split_whitespace().collect::<Vec<_>>().join(" ");
    escape::prose(&escape::shorten(&line, REASON).0)
}

pub(super) fn advice(suggestion: &super::model::Suggestion, links: &Links<'_>) -> String {
    match &suggestion.file {
        None => suggestion.text.clone(),
        Some(file) => format!("{} ({})", suggestion.text, links.to_place(file, suggestion.line)),
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

/// A test's name without its package: `StackTest.pops(int)[2]`.
pub(super) fn short_name(test: &str) -> String {
    let class = class_of_test(test);
    match test.get(class.len()..).and_then(|rest| rest.strip_prefix('.')) {
        Some(method) => format!("{}.{method}", words::short_class(class)),
        None => test.to_owned(),
    }
}

/// The binary name of a test's class: all before the last dot of what stands before the parameters, which may hold dots themselves.
pub(super) fn class_of_test(test: &str) -> &str {
    let name = test.split('(').next().unwrap_or(test);
    name.rsplit_once('.').map_or(test, |(class, _)| class)
}
