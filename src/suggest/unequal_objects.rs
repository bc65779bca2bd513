//! Suggests to compare unequal objects if `equals` was always true
//! (`rules/suggestions/unequal-objects.toml`).

use super::case::{case_values, entry_points};
use super::code_place;
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
    let object = words::variable(&finding.method.class);
    let assertion = |other: &str| format!("assertFalse({object}.equals({other}))");
    let assertions = ["other", "null", "new Object()"].map(assertion);
    let snippet = finding.is_accessible().then(|| {
        let variables = [object.as_str(), "other"].map(|name| (name.to_owned(), finding.method.class.clone()));
        code_place::at_home(finding, assertions.join("; "), variables.into())
    });
    let values = context! { assertion => assertions, ..case_values(finding) };
    let snippet = snippet.flatten();
    vec![Proposal { entry_points: entry_points(finding), snippet, ..finding.at_home(values) }]
}
