//! Suggests to read, after a call, the state that the method changes and no test sees
//! (`rules/suggestions/read-changed-state.toml`).

use super::call_directly::{call_values, method_evidence};
use super::finding::{Finding, Proposal};
use super::place::{asserted, reading, values};
use crate::code::Signature;
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
    let values = context! {
        ..call_values(finding, Some(evidence)), ..values(finding, evidence, &reading, assertion)
    };
    let entry_points = if accessible { vec![finding.signature.full()] } else { vec![] };
    // If the method cannot be called, the suggestion of how to reach it comes first.
    let rank = usize::from(!accessible);
    vec![Proposal { rank, entry_points, accessors, ..finding.at_home(values) }]
}
