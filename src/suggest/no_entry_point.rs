//! Suggests what can still be done about a method that no accessible method calls
//! (`rules/suggestions/no-entry-point.toml`).

use super::call_directly::{call_values, is_remedy, method_evidence};
use super::finding::{Finding, Proposal};
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if !is_remedy(finding) || finding.is_accessible() {
        return vec![];
    }
    let chains = finding.input.structure.callers_of(&finding.signature, finding.test_package());
    if chains.iter().any(|chain| !chain.is_empty()) {
        return vec![];
    }
    let evidence = method_evidence(finding, |_| true);
    // A method of a class without a name may implement one of a type that a test can name.
    let is_virtual = finding.method.is_virtual();
    let values = context! { instead => finding.instead(), is_virtual => is_virtual, ..call_values(finding, evidence) };
    vec![finding.at_home(values)]
}
