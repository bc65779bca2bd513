//! Suggests the assertion that would see a difference inside the argument of an existing assertion
//! (`rules/suggestions/assert-more.toml`).

use super::finding::{Finding, Proposal};
use super::place::{at_place, one_line, places};
use crate::instrument::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Asserted)
        .into_iter()
        .map(|(rank, evidence)| {
            // The existing assertion evaluates the expression already, so a stronger assertion may
            // evaluate it as well.
            let expression = one_line(evidence.expression.as_deref().unwrap_or("actual"));
            at_place(finding, rank, evidence, &expression, context! {})
        })
        .collect()
}
