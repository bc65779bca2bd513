//! Sentences about a finding, in Markdown, that several formats share. Everything from the project
//! is escaped here.

use super::links::Links;
use super::model::{Entry, Suggestion};
use crate::diagnose::Symptom;
use crate::text::escape::{self, code, code_short};
use crate::text::words::{self, short_test_name};

/// Most names in a list of tests.
const TESTS: usize = 4;
/// Longest reason for which something is accepted, in characters.
const REASON: usize = 300;
/// Longest name, in characters.
const NAME: usize = 80;

/// The change to the method, as the end of a clause that begins with its name.
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

/// The results of the tests under the transformation, in a few words.
pub(super) fn claim(entry: &Entry) -> &'static str {
    if entry.sometimes_detected_by.is_empty() { "no test fails" } else { "caught in some runs only" }
}

pub(super) fn passing(entry: &Entry) -> String {
    let tests = &entry.covering_tests;
    let names: Vec<String> = tests.iter().take(TESTS).map(|test| code_short(&short_test_name(test), NAME)).collect();
    let more = tests.len().saturating_sub(TESTS);
    let list = if more > 0 { format!("{} and {more} more", names.join(", ")) } else { and(&names) };
    if !entry.sometimes_detected_by.is_empty() {
        return caught_sometimes(entry);
    }
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

/// The tests that catch it in some runs only, and what to write.
fn caught_sometimes(entry: &Entry) -> String {
    let all = &entry.sometimes_detected_by;
    let names: Vec<String> = all.iter().take(TESTS).map(|test| code_short(&short_test_name(test), NAME)).collect();
    let more = all.len().saturating_sub(TESTS);
    let list = if more > 0 { format!("{} and {more} more", names.join(", ")) } else { and(&names) };
    let (verb, whose) = if all.len() == 1 { ("depends", "it") } else { ("depend", "them") };
    format!(
        "caught in some runs only: {list} {verb} on chance. Give {whose} a fixed seed, or, better, write the input of a run that \
         fails as a test of its own"
    )
}

pub(super) fn and(names: &[String]) -> String {
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
                code_short(&short_test_name(&evidence.test), NAME)
            )
        }
        (Symptom::NoPropagation, Some(evidence)) => {
            let from = place.map(|place| format!(" from {place}")).unwrap_or_default();
            format!(
                "Called{from} during {}, it leaves a difference behind, but no expression of a test sees it",
                code_short(&short_test_name(&evidence.test), NAME),
            )
        }
        (Symptom::NoInfection, _) if !entry.sometimes_detected_by.is_empty() => {
            "In the runs that were compared, the tests drew nothing that shows the change".to_owned()
        }
        (Symptom::NoInfection, _) => {
            let same = match entry.transformation.as_str() {
                "void" => "its body changes nothing that was looked at",
                _ => "the original returns just that",
            };
            let not_seen: Vec<String> = entry.not_seen.iter().map(|class| code(&words::short_class(class))).collect();
            let apart = if not_seen.is_empty() {
                String::new()
            } else {
                format!(" (reneri does not see all of {})", and(&not_seen))
            };
            format!("In every call that the tests make, {same}{apart}")
        }
        (Symptom::Undecided, _) if !entry.sometimes_detected_by.is_empty() => {
            "In some runs the tests draw values that show the change, in others they do not".to_owned()
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

/// The reason for an acceptance, on one line.
pub(super) fn reason(accepted: &str) -> String {
    let line = accepted.split_whitespace().collect::<Vec<_>>().join(" ");
    escape::prose(&escape::shorten(&line, REASON).0)
}

pub(super) fn advice(suggestion: &Suggestion, links: &Links<'_>) -> String {
    match &suggestion.file {
        None => suggestion.text.clone(),
        Some(file) => format!("{} ({})", suggestion.text, links.to_place(file, suggestion.line)),
    }
}
