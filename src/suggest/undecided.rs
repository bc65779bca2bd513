//! From a transformation whose symptom cannot be told to why, and what can be done (`rules/suggestions/undecided.toml`).

use super::escape;
use super::finding::{Filled, Finding};
use super::other_boolean::{case_values, entry_points};
use crate::diagnose::Symptom;
use minijinja::{Value, context};

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    if finding.diagnosis.symptom != Symptom::Undecided {
        return vec![];
    }
    let because = finding.diagnosis.undecided_because.as_deref().map(str::trim).unwrap_or_default();
    let values = context! {
        because => Value::from_safe_string(escape::prose(because.trim_end_matches('.'))),
        is_void => finding.method.descriptor.ends_with(")V"),
        ..case_values(finding)
    };
    vec![Filled { entry_points: entry_points(finding), ..finding.at_home(values) }]
}
