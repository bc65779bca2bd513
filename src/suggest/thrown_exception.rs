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
            let class = evidence.owner.as_deref().map(words::short_class).unwrap_or_else(|| "Exception".to_owned());
            let catching = format!("{class} e = assertThrows({class}.class, () -> …)");
            at_place(finding, rank, evidence, "e", context! { catching => catching, class => class })
        })
        .collect()
}
