//! From a difference inside an assertion's argument to the assertion that would notice it (`rules/suggestions/assert-more.toml`).

use super::finding::{Filled, Finding};
use super::place::{at_place, one_line, places};
use crate::instrument::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    places(finding, ExpressionKind::Asserted)
        .into_iter()
        .map(|(rank, evidence)| {
            // The assertion evaluates it already: it may as well evaluate it in a stronger assertion.
            let expression = one_line(evidence.expression.as_deref().unwrap_or("actual"));
            at_place(finding, rank, evidence, &expression, context! {})
        })
        .collect()
}
