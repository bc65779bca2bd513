//! From one finding to the pieces of Markdown that `report-templates/report.md.jinja` puts in order. All that comes from the project is escaped here.

use super::diff;
use super::flow::{self, Stop};
use super::mermaid::mermaid;
use super::model::{Atom, Call, Entry, Evidence, Value as Seen};
use super::order::{Finding, is_same_observation};
use super::picture::{Picture, picture};
use super::plain::plain;
use super::symptoms;
use crate::diagnose::{At, Symptom};
use crate::error::{Error, Result};
use crate::suggest::escape::{self, cell, code, code_short};
use crate::suggest::{is_literal, words};
use minijinja::Value;
use serde::Serialize;

/// Most names in a list of tests.
const TESTS: usize = 4;
/// Most rows of a table of values or calls.
const ROWS: usize = 5;
/// Longest value in a table, in characters.
const CELL: usize = 80;

/// One finding, as the templates take it. Each [`Value`] is finished Markdown.
#[derive(Serialize)]
pub(super) struct FindingView {
    pub folded: bool,
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
    /// The advice in one short line.
    pub brief: Option<Value>,
}

/// A table, cell by cell.
#[derive(Serialize)]
pub(super) struct Table {
    pub head: Vec<Value>,
    pub rows: Vec<Vec<Value>>,
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
    let constants: Vec<String> = entries
        .iter()
        .filter_map(|entry| words::constant(&entry.transformation, &entry.descriptor))
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
        brief: first.suggestions.first().map(|suggestion| md(suggestion.brief.clone())),
    })
}

pub(super) fn passing(entry: &Entry) -> String {
    let tests = &entry.covering_tests;
    let names: Vec<String> = tests.iter().take(TESTS).map(|test| code_short(&short_name(test), CELL)).collect();
    let more = tests.len().saturating_sub(TESTS);
    let list = if more > 0 { format!("{} and {more} more", names.join(", ")) } else { and(&names) };
    match tests.len() {
        0 => "its tests still pass".to_owned(),
        1 => format!("the one test that runs it still passes: {list}"),
        2 => format!("both tests that run it still pass: {list}"),
        n => format!("all {n} tests that run it still pass: {list}"),
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
                code_short(&short_name(&evidence.test), CELL)
            )
        }
        (Symptom::NoPropagation, Some(evidence)) => {
            let from = place.map(|place| format!(" from {place}")).unwrap_or_default();
            format!(
                "Called{from} during {}, it leaves a difference behind, but no expression of a test sees it{}",
                code_short(&short_name(&evidence.test), CELL),
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

/// What a difference of a finding is about, its value today, and its values with the changes.
pub(super) struct Difference {
    pub property: String,
    pub today: String,
    pub changed: String,
}

/// `evidence` is of the first of the finding's transformations.
pub(super) fn difference(entries: &[&Entry], evidence: &Evidence) -> Difference {
    let mut changed: Vec<String> = Vec::new();
    for same in entries.iter().filter_map(|entry| same_in(entry, evidence)) {
        let value = value_cell(same.transformed.as_deref(), same).to_string();
        if !changed.contains(&value) {
            changed.push(value);
        }
    }
    Difference {
        property: property(evidence, Some(evidence), &Links(None)),
        today: value_cell(evidence.original.as_deref(), evidence).to_string(),
        changed: changed.join(" or "),
    }
}

/// `.version` of `set`: `1` today, `0` with the change.
pub(super) fn difference_in_words(entries: &[&Entry], evidence: &Evidence) -> String {
    let Difference { mut property, today, changed } = difference(entries, evidence);
    if property.starts_with("the ") {
        property.replace_range(..1, "T");
    }
    format!("{property}: {today} today, {changed} with the change.")
}

/// The difference at the same place under another transformation of the finding.
fn same_in<'a>(entry: &'a Entry, evidence: &Evidence) -> Option<&'a Evidence> {
    entry.evidence.iter().find(|other| is_same_observation(evidence, other))
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

/// The values before and after, one row for each property, one column for each transformation; and how many rows were left out.
fn values(finding: &Finding<'_>, links: &Links<'_>) -> Option<(Table, usize)> {
    let first = finding.first()?;
    let mut head = vec![md(""), md("today")];
    for entry in &finding.entries {
        head.push(md(match words::constant(&entry.transformation, &entry.descriptor) {
            None => "doing nothing".to_owned(),
            Some((text, true)) => format!("returning {}", cell(&text, CELL)),
            Some((text, false)) => format!("returning {text}"),
        }));
    }
    let mut rows: Vec<(String, Vec<Value>)> = Vec::new();
    let shared = first.evidence.first();
    for evidence in &first.evidence {
        let mut row = vec![md(property(evidence, shared, links)), value_cell(evidence.original.as_deref(), evidence)];
        for entry in &finding.entries {
            row.push(match same_in(entry, evidence) {
                Some(same) => value_cell(same.transformed.as_deref(), same),
                None => md("(no difference listed)"),
            });
        }
        // The same difference in another test or call says nothing new.
        let text: String = row.iter().map(|cell| format!("{cell}|")).collect();
        if !rows.iter().any(|(seen, _)| *seen == text) {
            rows.push((text, row));
        }
    }
    let hidden = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    let rows: Vec<Vec<Value>> = rows.into_iter().map(|(_, row)| row).collect();
    (!rows.is_empty()).then_some((Table { head, rows }, hidden))
}

/// What a row of values is about: `.version` of `set`.
fn property(evidence: &Evidence, shared: Option<&Evidence>, links: &Links<'_>) -> String {
    let part = match (evidence.at, evidence.part.as_str()) {
        (At::Test, "exception") => match &evidence.expression {
            Some(name) => format!("the exception {}", cell(&one_line(name), CELL)),
            None => "the exception".to_owned(),
        },
        (At::Test, _) => match &evidence.expression {
            Some(expression) => cell(&one_line(expression), CELL),
            None => "the expression".to_owned(),
        },
        (At::Method, "static") => "a static field".to_owned(),
        (At::Method, part) => match part.strip_prefix("argument ").and_then(|index| index.parse().ok()) {
            Some(index) => format!("the {} argument", words::ordinal(index)),
            None => format!("the {}", escape::entities(part)),
        },
    };
    let mut text = match (evidence.path.is_empty(), evidence.part.as_str()) {
        (true, _) => part,
        (false, "static") => format!("static field {}", cell(&evidence.path, CELL)),
        (false, _) => format!("{} of {part}", cell(&evidence.path, CELL)),
    };
    if evidence.at == At::Method {
        if !matches!(evidence.part.as_str(), "result" | "exception") {
            text.push_str(" after the call");
        }
    } else if shared.is_some_and(|shared| (&shared.file, shared.line) != (&evidence.file, evidence.line))
        && let Some(file) = &evidence.file
    {
        text.push_str(&format!(" at {}", links.to_place(file, evidence.line)));
    }
    text
}

fn value_cell(value: Option<&str>, evidence: &Evidence) -> Value {
    md(match (value, evidence.part.as_str(), evidence.path.is_empty()) {
        (None, "exception", true) => "none".to_owned(),
        (None, ..) => "(not there)".to_owned(),
        (Some(value), ..) => seen_cell(value, &evidence.type_name),
    })
}

fn seen_cell(value: &str, type_name: &str) -> String {
    if is_literal(value) {
        return cell(value, CELL);
    }
    if !value.starts_with("non-null") {
        return escape::prose(value);
    }
    let class = value.strip_prefix("non-null (").and_then(|rest| rest.strip_suffix(')')).unwrap_or(type_name);
    if class.is_empty() {
        "an object".to_owned()
    } else {
        format!("object of {}", cell(&words::short_class(class), CELL))
    }
}

/// Where two long texts of the finding differ.
fn differences(finding: &Finding<'_>) -> Vec<Value> {
    let Some(evidence) = finding.first().and_then(|entry| entry.evidence.first()) else { return vec![] };
    let mut blocks = Vec::new();
    for entry in &finding.entries {
        if let Some((original, transformed)) =
            same_in(entry, evidence).and_then(|same| same.original.as_deref().zip(same.transformed.as_deref()))
            && let Some(block) = diff::difference(original, transformed)
        {
            blocks.push(md(block));
        }
    }
    blocks
}

/// What the table does not show: rows that the JSON report has, and differences that were only counted.
fn more(entry: &Entry, hidden: usize) -> Option<String> {
    let rows = (hidden > 0).then(|| format!("{hidden} more in {}.", code("report.json")));
    let cut =
        (entry.evidence_cut > 0).then(|| format!("{} besides.", words::count(entry.evidence_cut as u64, "difference")));
    let sentences: Vec<String> = rows.into_iter().chain(cut).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// How the tests called the method, the most frequent ways first.
fn calls(entry: &Entry) -> Option<Table> {
    if entry.calls.is_empty() {
        return None;
    }
    let has_arguments = entry.calls.iter().any(|call| !call.arguments.is_empty());
    let has_receiver = entry.calls.iter().any(|call| !call.receiver.is_empty());
    let has_result = entry.calls.iter().any(|call| call.result.is_some() || call.exception.is_some());
    let mut head = Vec::new();
    for (wanted, title) in [
        (has_arguments, "arguments"),
        (has_receiver, "receiver after the call"),
        (has_result, "result"),
        (true, "calls"),
        (true, "for example in"),
    ] {
        if wanted {
            head.push(md(title));
        }
    }
    let mut rows: Vec<Vec<Value>> = entry
        .calls
        .iter()
        .take(ROWS)
        .map(|call| {
            let mut row = Vec::new();
            if has_arguments {
                let arguments: Vec<String> = call.arguments.iter().map(seen).collect();
                row.push(md(bounded(&arguments)));
            }
            if has_receiver {
                row.push(md(atoms(&call.receiver)));
            }
            if has_result {
                row.push(md(outcome(call)));
            }
            row.push(md(call.count.to_string()));
            row.push(md(cell(&short_name(&call.test), CELL)));
            row
        })
        .collect();
    let left_out = entry.calls.len().saturating_sub(ROWS) + entry.calls_cut;
    if left_out > 0 {
        let mut row = vec![md(format!("… and {left_out} more ways"))];
        row.resize(head.len(), md(""));
        rows.push(row);
    }
    Some(Table { head, rows })
}

fn outcome(call: &Call) -> String {
    match (&call.result, &call.exception) {
        (_, Some(exception)) => format!("throws {}", cell(exception, CELL)),
        (Some(result), None) => seen(result),
        (None, None) => String::new(),
    }
}

fn seen(value: &Seen) -> String {
    let text = seen_cell(&value.value, &value.type_name);
    if value.atoms.is_empty() { text } else { format!("{text} with {}", atoms(&value.atoms)) }
}

fn atoms(atoms: &[Atom]) -> String {
    let mut shown: Vec<&Atom> = atoms.iter().filter(|atom| is_literal(&atom.value)).collect();
    if shown.is_empty() {
        shown = atoms.iter().collect();
    }
    let texts: Vec<String> =
        shown.iter().map(|atom| format!("{} = {}", cell(&atom.path, 40), cell(&atom.value, 40))).collect();
    bounded(&texts)
}

fn bounded(texts: &[String]) -> String {
    const MOST: usize = 3;
    let more = if texts.len() > MOST { ", …" } else { "" };
    texts.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ") + more
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
            let name = code_short(&frame.short_name(), CELL);
            frame.line.map_or_else(|| name.clone(), |line| format!("{name} (line {line})"))
        }
    }
}

pub(super) fn advice(suggestion: &super::model::Suggestion, links: &Links<'_>) -> String {
    match &suggestion.file {
        None => suggestion.text.clone(),
        Some(file) => format!("{} ({})", suggestion.text, links.to_place(file, suggestion.line)),
    }
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
