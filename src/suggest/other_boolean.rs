//! Suggests the missing case of a condition that always had the same value
//! (`rules/suggestions/other-boolean.toml`).

use super::case::{case_values, entry_points};
use super::code_place;
use super::finding::{Finding, Proposal};
use super::unequal_objects;
use crate::diagnose::Symptom;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    let other = match finding.transformation.name.as_str() {
        "true" => "false",
        "false" => "true",
        _ => return vec![],
    };
    if finding.diagnosis.symptom != Symptom::NoInfection || unequal_objects::applies(finding) {
        return vec![];
    }
    let name = if other == "true" { "assertTrue" } else { "assertFalse" };
    let assertion = format!("{name}({})", finding.call_code(None));
    let snippet = finding.is_accessible().then(|| assertion.clone());
    let snippet = snippet.and_then(|code| code_place::at_home(finding, code, finding.call_variables(None)));
    let values = context! { other => other, assertion => assertion, ..case_values(finding) };
    vec![Proposal { entry_points: entry_points(finding), snippet, ..finding.at_home(values) }]
}
