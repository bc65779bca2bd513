//! Suggests the closest accessible methods that reach a method which tests cannot call
//! (`rules/suggestions/call-through.toml`).

use super::call_directly::{call_values, is_remedy, method_evidence};
use super::finding::{Finding, Proposal};
use super::place::{seen, what};
use crate::code::Signature;
use crate::text::escape;
use minijinja::{Value, context};

/// The closest methods that a test can call to reach this one: short names and full names.
pub(super) fn nearest(finding: &Finding<'_>) -> (Vec<String>, Vec<String>) {
    let chains = finding.input.structure.callers_of(&finding.signature, finding.test_package());
    let mut firsts: Vec<&Signature> = Vec::new();
    for first in chains.iter().filter_map(|chain| chain.first()) {
        if !firsts.contains(&first) {
            firsts.push(first);
        }
    }
    firsts.truncate(MOST);
    (firsts.iter().map(|first| first.short()).collect(), firsts.iter().map(|first| first.full()).collect())
}

/// Most callers that are named.
const MOST: usize = 3;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if !is_remedy(finding) || finding.is_accessible() {
        return vec![];
    }
    let mut chains = finding.input.structure.callers_of(&finding.signature, finding.test_package());
    chains.retain(|chain| !chain.is_empty());
    if chains.is_empty() {
        return vec![];
    }
    let more = chains.len().saturating_sub(MOST);
    chains.truncate(MOST);
    let evidence = method_evidence(finding, |_| true);
    let callers: Vec<Value> = chains.iter().map(|chain| chain_words(chain)).collect();
    let (_, entry_points) = nearest(finding);
    let values = context! {
        callers => callers,
        more => more,
        path => evidence.map(|evidence| evidence.path.clone()).unwrap_or_default(),
        what => evidence.map(what),
        seen => evidence.map(|evidence| seen(finding, evidence)),
        instead => finding.instead(),
        ..call_values(finding, evidence)
    };
    vec![Proposal { entry_points, ..finding.at_home(values) }]
}

/// The first method of the chain, `Parser.parse(String)`, with the methods between it and the
/// transformed one.
fn chain_words(chain: &[Signature]) -> Value {
    let mut names = chain.iter().map(|method| escape::code(&method.short()));
    let first = names.next().unwrap_or_default();
    let between: Vec<String> = names.take(chain.len().saturating_sub(2)).collect();
    Value::from_safe_string(match between.is_empty() {
        true => first,
        false => format!("{first} (by way of {})", between.join(" → ")),
    })
}
