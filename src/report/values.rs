//! Shows the values of a finding, from its differences and calls, as Markdown tables, blocks and
//! cells.

use super::diff;
use super::links::{Links, md};
use super::model::{Atom, Call, Entry, Evidence, ExpressionKindName, Value as Seen};
use super::order::{Finding, is_same_observation};
use crate::diagnose::At;
use crate::suggest::is_literal;
use crate::text::escape::{self, cell, code};
use crate::text::words;
use minijinja::Value;
use serde::Serialize;

/// Most rows of a table of values or calls.
const ROWS: usize = 5;
/// Longest value in a table, in characters.
const CELL: usize = 80;

/// A table as rows of cells.
#[derive(Serialize)]
pub(super) struct Table {
    pub head: Vec<Value>,
    pub rows: Vec<Vec<Value>>,
}

/// One difference of a finding: the property, its value today, and its values with the changes.
pub(super) struct Difference {
    pub property: String,
    pub today: String,
    pub changed: String,
}

/// Describes a difference. `evidence` belongs to the first transformation of the finding.
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

/// The same observation under another transformation of the finding.
fn same_in<'a>(entry: &'a Entry, evidence: &Evidence) -> Option<&'a Evidence> {
    entry.evidence.iter().find(|other| is_same_observation(evidence, other))
}

/// The table of values before and after, and the number of rows left out. It has one row for each
/// property and one column for each transformation.
pub(super) fn values(finding: &Finding<'_>, links: &Links<'_>) -> Option<(Table, usize)> {
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
        // The same difference in another test or call adds nothing new.
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

/// The property that a row of values is about: `.version` of `set`.
fn property(evidence: &Evidence, shared: Option<&Evidence>, links: &Links<'_>) -> String {
    let part = match (evidence.at, evidence.part.as_str()) {
        (At::Test, "exception") => match &evidence.expression {
            Some(name) if evidence.expression_kind == Some(ExpressionKindName::Thrown) => {
                format!("the exception that leaves {}", cell(&one_line(name), CELL))
            }
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

/// Shows where two long texts of the finding differ.
pub(super) fn differences(finding: &Finding<'_>) -> Vec<Value> {
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

/// What the table leaves out: rows that only the JSON report has, and differences that were only
/// counted.
pub(super) fn more(entry: &Entry, hidden: usize) -> Option<String> {
    let rows = (hidden > 0).then(|| format!("{hidden} more in {}.", code("report.json")));
    let cut = (entry.evidence_cut > 0).then(|| match entry.evidence_cut {
        1 => "One more difference was only counted.".to_owned(),
        more => format!("{more} more differences were only counted."),
    });
    let sentences: Vec<String> = rows.into_iter().chain(cut).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The table of how the tests called the method, most frequent ways first.
pub(super) fn calls(entry: &Entry) -> Option<Table> {
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
            row.push(md(cell(&words::short_test_name(&call.test), CELL)));
            row
        })
        .collect();
    let left_out = entry.calls.len().saturating_sub(ROWS) + entry.calls_cut;
    if left_out > 0 {
        add_note(&mut rows, head.len(), format!("… and {left_out} more ways"));
    }
    if entry.calls_vary {
        add_note(&mut rows, head.len(), "… and the calls of other tests, different in each run".to_owned());
    }
    Some(Table { head, rows })
}

/// Adds a row with text in its first cell only.
fn add_note(rows: &mut Vec<Vec<Value>>, width: usize, text: String) {
    let mut row = vec![md(text)];
    row.resize(width, md(""));
    rows.push(row);
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
