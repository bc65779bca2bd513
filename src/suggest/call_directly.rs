//! From a result that no test sees to a direct call that asserts it (`rules/suggestions/call-directly.toml`).

use super::assertion::assertion;
use super::finding::{Filled, Finding};
use super::place::{reading, values};
use super::structure::Signature;
use crate::diagnose::{At, Evidence, Symptom};
use crate::observe::Part;
use minijinja::{Value, context};

/// The best evidence right after the method, in one of these parts.
pub(super) fn method_evidence<'a>(finding: &Finding<'a>, wanted: fn(Part) -> bool) -> Option<&'a Evidence> {
    if finding.diagnosis.symptom != Symptom::NoPropagation {
        return None;
    }
    finding.diagnosis.evidence.iter().find(|evidence| evidence.at == At::Method && wanted(evidence.part))
}

/// What all rules about a direct call say: the call, and how the tests made it when the difference was seen.
pub(super) fn call_values(finding: &Finding<'_>, evidence: Option<&Evidence>) -> Value {
    let call = finding.model_call(evidence);
    let test = evidence.map(|evidence| evidence.test).or(call.map(|call| call.test));
    context! {
        method => finding.signature.short(),
        call => finding.call_code(call),
        how => call.map(|call| finding.call_words(call, evidence.is_none_or(|evidence| evidence.part == Part::Result))).unwrap_or_else(|| Value::from("")),
        test => test.map(|test| finding.test_name(test)).unwrap_or_default(),
        home => finding.home_name(),
        accessible => finding.is_accessible(),
    }
}

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    let Some(evidence) = method_evidence(finding, |part| part == Part::Result) else { return vec![] };
    if !finding.is_accessible() {
        return vec![];
    }
    let call = finding.call_code(finding.model_call(Some(evidence)));
    let reading = reading(finding, evidence, &call);
    let assertion = reading.code.as_deref().and_then(|actual| {
        assertion(&evidence.type_name, evidence.original.as_deref(), evidence.transformed.as_deref(), actual)
    });
    let accessors = reading.accessors.iter().map(Signature::full).collect();
    let values = context! {
        ..call_values(finding, Some(evidence)), ..values(finding, evidence, &reading, assertion)
    };
    vec![Filled { entry_points: vec![finding.signature.full()], accessors, ..finding.at_home(values) }]
}
