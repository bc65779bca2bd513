//! Suggests a direct call that expects an exception which only one side throws and no test sees
//! (`rules/suggestions/expect-exception.toml`).

use super::call_directly::{call_values, method_evidence};
use super::finding::{Finding, Proposal};
use super::place::{seen, thrown_class};
use crate::observe::Part;
use crate::text::words;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    let Some(evidence) = method_evidence(finding, |part| part == Part::Exception) else { return vec![] };
    if !finding.is_accessible() {
        return vec![];
    }
    let class = thrown_class(evidence).or(evidence.owner.as_deref()).unwrap_or(&evidence.type_name);
    let call = finding.call_code(finding.model_call(Some(evidence)));
    let exception = words::short_class(class);
    let assertion = format!("assertThrows({exception}.class, () -> {call})");
    let values = context! {
        throws => evidence.original.is_some(),
        both => evidence.original.is_some() && evidence.transformed.is_some(),
        exception => exception,
        assertion => assertion,
        path => evidence.path.clone(),
        seen => seen(finding, evidence),
        instead => finding.instead(),
        ..call_values(finding, Some(evidence))
    };
    vec![Proposal { entry_points: vec![finding.signature.full()], ..finding.at_home(values) }]
}
