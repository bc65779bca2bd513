//! From a method that always gave the same as the constant to an input for which it gives something else (`rules/suggestions/other-result.toml`).

use super::finding::{Filled, Finding};
use super::other_boolean::{case_values, entry_points};
use crate::diagnose::Symptom;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    if finding.diagnosis.symptom != Symptom::NoInfection
        || matches!(finding.transformation.name.as_str(), "true" | "false" | "void")
    {
        return vec![];
    }
    vec![Filled { entry_points: entry_points(finding), ..finding.at_home(case_values(finding)) }]
}
