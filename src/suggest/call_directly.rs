//! Suggests to call a method directly and assert its result, which no test sees
//! (`rules/suggestions/call-directly.toml`).

use super::call_site::call_site;
use super::code_place;
use super::finding::{Finding, Proposal};
use super::place::{asserted, named, reading, values};
use crate::code::Signature;
use crate::diagnose::{At, Evidence, Symptom};
use crate::observe::Part;
use minijinja::{Value, context};

/// Whether a direct call is the remedy. It also is if a difference reaches a test, but at no known
/// place, or at none where an assertion could see it.
pub(super) fn is_remedy(finding: &Finding<'_>) -> bool {
    match finding.diagnosis.symptom {
        Symptom::NoPropagation => true,
        Symptom::WeakOracle => !finding.diagnosis.evidence.iter().any(|evidence| finding.is_place(evidence)),
        Symptom::NoInfection | Symptom::Undecided => false,
    }
}

/// The best evidence right after the method in one of the wanted parts, preferably with a known
/// call.
pub(super) fn method_evidence<'a>(finding: &Finding<'a>, wanted: fn(Part) -> bool) -> Option<&'a Evidence> {
    if !is_remedy(finding) {
        return None;
    }
    let found =
        || finding.diagnosis.evidence.iter().filter(|evidence| evidence.at == At::Method && wanted(evidence.part));
    let best = found().next()?;
    let same_property = |evidence: &&Evidence| evidence.part == best.part && evidence.path == best.path;
    found().filter(same_property).find(|evidence| finding.model_call(Some(evidence)).is_some()).or(Some(best))
}

/// The values that all rules about a direct call share: the call, and how the tests made it when
/// the difference was observed.
pub(super) fn call_values(finding: &Finding<'_>, evidence: Option<&Evidence>) -> Value {
    let call = finding.model_call(evidence);
    let test = call.map(|call| call.test).or(evidence.map(|evidence| evidence.test));
    context! {
        method => finding.signature.short(),
        call => finding.call_code(call),
        how => call.map(|call| finding.call_words(call, evidence.is_none_or(|evidence| evidence.part == Part::Result))).unwrap_or_else(|| Value::from("")),
        test => test.map(|test| finding.test_name(test)).unwrap_or_default(),
        home => finding.home_name(),
        accessible => finding.is_accessible(),
        called_at => call_site(finding, evidence.map(|evidence| evidence.stack.as_slice()).unwrap_or_default()),
        is_static => finding.signature.is_static,
    }
}

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if !is_remedy(finding) || !finding.is_accessible() {
        return vec![];
    }
    let entry_points = vec![finding.signature.full()];
    let Some(evidence) = method_evidence(finding, |part| part == Part::Result) else {
        // Another rule handles a difference in another part. Without any evidence, only the call
        // can be suggested.
        if method_evidence(finding, |_| true).is_some() {
            return vec![];
        }
        let values = context! {
            assertion => (), expected => (), accessors => Vec::<String>::new(), path => "", seen => (),
            ..call_values(finding, None)
        };
        return vec![Proposal { entry_points, ..finding.at_home(values) }];
    };
    let seen_call = finding.model_call(Some(evidence));
    let reading = reading(finding, evidence, &finding.call_code(seen_call));
    let assertion = asserted(finding, evidence, &reading);
    let snippet = assertion.as_ref().and_then(|assertion| {
        let snippet = code_place::at_home(finding, assertion.whole.clone(), finding.call_variables(seen_call));
        Some(snippet?.naming(named(finding, evidence).iter().map(String::as_str)))
    });
    let accessors = reading.accessors.iter().map(Signature::full).collect();
    let values = context! {
        ..call_values(finding, Some(evidence)), ..values(finding, evidence, &reading, assertion)
    };
    vec![Proposal { entry_points, accessors, snippet, ..finding.at_home(values) }]
}
