//! Groups undetected transformations into findings, and findings by method, in the order in which
//! they are worth reading.

use super::model::{BaselineState, Entry, Evidence, Report, Visibility};
use crate::diagnose::Symptom;

/// Undetected transformations of one method that the same assertion at the same place would detect,
/// for the same reason.
#[derive(Clone)]
pub(super) struct Finding<'a> {
    /// Never empty.
    pub entries: Vec<&'a Entry>,
}

/// All findings of one method.
#[derive(Clone)]
pub(super) struct Group<'a> {
    /// Never empty.
    pub findings: Vec<Finding<'a>>,
}

impl<'a> Finding<'a> {
    pub fn first(&self) -> Option<&'a Entry> {
        self.entries.first().copied()
    }
}

impl<'a> Group<'a> {
    pub fn first(&self) -> Option<&'a Entry> {
        self.findings.first().and_then(Finding::first)
    }
}

/// The sort key of an entry, smallest first: new findings before known ones, a known reason before
/// an unknown one, public API before internals, differences that a test nearly sees before methods
/// that need a new input, and methods close to a test before distant ones.
fn usefulness(entry: &Entry) -> (bool, bool, bool, bool, usize) {
    let symptom = entry.symptom.unwrap_or(Symptom::Undecided);
    let distance = entry.evidence.first().map(|evidence| evidence.stack.len()).filter(|&length| length > 0);
    (
        entry.baseline_state == Some(BaselineState::Unchanged),
        symptom == Symptom::Undecided,
        !matches!(entry.visibility, Visibility::Public | Visibility::Protected),
        symptom == Symptom::NoInfection,
        distance.unwrap_or(usize::MAX),
    )
}

/// The undetected transformations that are not accepted, most useful first.
#[must_use]
pub fn open_entries(report: &Report) -> Vec<&Entry> {
    let groups = groups(report);
    groups.iter().flat_map(|group| &group.findings).flat_map(|finding| finding.entries.iter().copied()).collect()
}

/// The findings of a report without the accepted ones.
pub(super) fn groups(report: &Report) -> Vec<Group<'_>> {
    grouped(report.transformations.iter().filter(|entry| entry.is_open()).collect())
}

/// The accepted findings.
pub(super) fn accepted(report: &Report) -> Vec<Group<'_>> {
    grouped(report.transformations.iter().filter(|entry| entry.accepted.is_some()).collect())
}

fn grouped(mut undetected: Vec<&Entry>) -> Vec<Group<'_>> {
    undetected.sort_by_key(|entry| usefulness(entry));
    let mut groups: Vec<Group<'_>> = Vec::new();
    for entry in undetected {
        let group = groups.iter_mut().find(|group| group.first().is_some_and(|first| is_same_method(first, entry)));
        match group {
            None => groups.push(Group { findings: vec![Finding { entries: vec![entry] }] }),
            Some(group) => {
                let finding = group
                    .findings
                    .iter_mut()
                    .find(|finding| finding.first().is_some_and(|first| is_same_advice(first, entry)));
                match finding {
                    Some(finding) => finding.entries.push(entry),
                    None => group.findings.push(Finding { entries: vec![entry] }),
                }
            }
        }
    }
    groups
}

fn is_same_method(a: &Entry, b: &Entry) -> bool {
    a.class == b.class && a.method == b.method && a.descriptor == b.descriptor && a.module == b.module
}

/// Whether two transformations of a method ask for the same line of code: same symptom, same best
/// evidence, same rules at the same places. New findings are kept apart from known ones.
fn is_same_advice(a: &Entry, b: &Entry) -> bool {
    if a.sometimes_detected_by != b.sometimes_detected_by {
        return false;
    }
    let same_rules = a.suggestions.len() == b.suggestions.len()
        && a.suggestions
            .iter()
            .zip(&b.suggestions)
            .all(|(a, b)| a.rule == b.rule && a.file == b.file && a.line == b.line);
    let same_evidence = match (a.evidence.first(), b.evidence.first()) {
        (Some(a), Some(b)) => is_same_observation(a, b) && a.original == b.original,
        // Without evidence, the advice is about the constant, and the two constants are different.
        _ => false,
    };
    let patch = |entry: &Entry| entry.suggestions.iter().find_map(|suggestion| suggestion.patch.clone());
    a.baseline_state == b.baseline_state
        && patch(a) == patch(b)
        && a.symptom == b.symptom
        && a.undecided_because == b.undecided_because
        && same_rules
        && same_evidence
}

/// Whether two differences are about the same property at the same moment of the same test. A call
/// and the calls chained to it begin at the same place, so the end counts as well.
pub(super) fn is_same_observation(a: &Evidence, b: &Evidence) -> bool {
    a.test == b.test
        && a.invocation == b.invocation
        && a.at == b.at
        && a.part == b.part
        && a.path == b.path
        && a.file == b.file
        && a.line == b.line
        && a.column == b.column
        && (a.end_line, a.end_column) == (b.end_line, b.end_column)
}
