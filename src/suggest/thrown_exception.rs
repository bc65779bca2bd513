//! Suggests to catch and assert an exception that leaves the test
//! (`rules/suggestions/assert-thrown-exception.toml`).

use super::finding::{Finding, Proposal};
use super::place::{at_place, places};
use crate::instrument::ExpressionKind;
use crate::text::words;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Thrown)
        .into_iter()
        .map(|(rank, evidence)| {
            let owner = evidence.owner.as_deref().map(|owner| finding.nameable(evidence, owner));
            let class = owner.as_deref().map_or_else(|| "Exception".to_owned(), words::short_class);
            let catching = format!("{class} e = assertThrows({class}.class, () -> …)");
            at_place(finding, rank, evidence, "e", context! { catching => catching, class => class })
        })
        .collect()
}
