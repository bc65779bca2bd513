//! Suggests to read, after a call, the state that the method changes and no test sees
//! (`rules/suggestions/read-changed-state.toml`).

use super::assertion::Assertion;
use super::call_directly::{call_values, method_evidence};
use super::code_place;
use super::finding::{Finding, Proposal};
use super::place::{asserted, named, reading, values};
use super::snippet::Snippet;
use crate::code::Signature;
use crate::diagnose::Evidence;
use crate::observe::Part;
use crate::text::words;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    let changed = |part| matches!(part, Part::Receiver | Part::Argument(_) | Part::Static);
    let Some(evidence) = method_evidence(finding, changed) else { return vec![] };
    let base = match evidence.part {
        Part::Static => words::short_class(&finding.method.class),
        _ => words::variable(&finding.owner(evidence).unwrap_or_default()),
    };
    let reading = reading(finding, evidence, &base);
    let assertion = asserted(finding, evidence, &reading);
    let accessors = reading.accessors.iter().map(Signature::full).collect();
    let accessible = finding.is_accessible();
    let snippet = snippet(finding, evidence, &base, assertion.as_ref(), accessible);
    let values = context! {
        ..call_values(finding, Some(evidence)), ..values(finding, evidence, &reading, assertion)
    };
    let entry_points = if accessible { vec![finding.signature.full()] } else { vec![] };
    // If the method cannot be called, the suggestion of how to reach it comes first.
    let rank = usize::from(!accessible);
    vec![Proposal { rank, entry_points, accessors, snippet, ..finding.at_home(values) }]
}

/// The call, if a test can make it, and the assertion about the variable `base`.
fn snippet(
    finding: &Finding<'_>,
    evidence: &Evidence,
    base: &str,
    assertion: Option<&Assertion>,
    accessible: bool,
) -> Option<Snippet> {
    let seen_call = finding.model_call(Some(evidence)).filter(|_| accessible);
    let mut statements = Vec::new();
    let mut variables = Vec::new();
    if accessible {
        statements.push(finding.call_code(seen_call));
        variables = finding.call_variables(seen_call);
    }
    if let Some(assertion) = assertion {
        statements.push(assertion.whole.clone());
        let class = finding.owner(evidence).map(|owner| finding.nameable(evidence, &owner));
        let is_new = evidence.part != Part::Static && variables.iter().all(|(name, _)| name != base);
        let variable = class.filter(|_| is_new);
        variables.extend(variable.map(|class| (base.to_owned(), class)));
    }
    if statements.is_empty() {
        return None;
    }
    let snippet = code_place::at_home(finding, statements.join("; "), variables)?;
    Some(snippet.naming(named(finding, evidence).iter().map(String::as_str)))
}
