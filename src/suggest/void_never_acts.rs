//! Suggests an input for which a void method acts, if it never changed anything observed
//! (`rules/suggestions/void-never-acts.toml`).

use super::case::{case_values, entry_points};
use super::finding::{Finding, Proposal};
use crate::diagnose::Symptom;
use crate::text::words;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if finding.diagnosis.symptom != Symptom::NoInfection || finding.transformation.name != "void" {
        return vec![];
    }
    let looked_at = match (finding.signature.is_static, words::types(&finding.method.descriptor).0.is_empty()) {
        (false, false) => "its receiver and arguments",
        (false, true) => "its receiver",
        (true, false) => "its arguments",
        (true, true) => "the class's static fields",
    };
    let values = context! {
        not_seen => finding.diagnosis.not_seen.iter().map(|class| words::short_class(class)).collect::<Vec<String>>(),
        looked_at => minijinja::Value::from_safe_string(looked_at.to_owned()),
        ..case_values(finding)
    };
    vec![Proposal { entry_points: entry_points(finding), ..finding.at_home(values) }]
}
