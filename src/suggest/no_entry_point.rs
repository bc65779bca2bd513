//! From a method that nothing accessible calls to what can still be done (`rules/suggestions/no-entry-point.toml`).

use super::call_directly::{call_values, method_evidence};
use super::finding::{Filled, Finding};
use crate::diagnose::Symptom;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    if finding.diagnosis.symptom != Symptom::NoPropagation || finding.is_accessible() {
        return vec![];
    }
    let chains = finding.input.structure.callers_of(&finding.signature, finding.test_package());
    if chains.iter().any(|chain| !chain.is_empty()) {
        return vec![];
    }
    let evidence = method_evidence(finding, |_| true);
    vec![finding.at_home(context! { instead => finding.instead(), ..call_values(finding, evidence) })]
}
