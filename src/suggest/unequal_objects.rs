//! Suggests to compare unequal objects if `equals` was always true
//! (`rules/suggestions/unequal-objects.toml`).

use super::case::{case_values, entry_points};
use super::finding::{Finding, Proposal};
use crate::diagnose::Symptom;
use crate::text::words;
use minijinja::context;

pub(super) fn applies(finding: &Finding<'_>) -> bool {
    finding.diagnosis.symptom == Symptom::NoInfection
        && finding.method.name == "equals"
        && finding.method.descriptor == "(Ljava/lang/Object;)Z"
        && !finding.signature.is_static
        && finding.transformation.name == "true"
}

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if !applies(finding) {
        return vec![];
    }
    let values = context! { object => words::variable(&finding.method.class), ..case_values(finding) };
    vec![Proposal { entry_points: entry_points(finding), ..finding.at_home(values) }]
}
