//! From a difference at an ordinary expression of a test to the assertion that is missing there (`rules/suggestions/assert-value.toml`).

use super::finding::{Filled, Finding};
use super::place::{at_place, is_variable, places};
use crate::propagate::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    places(finding, ExpressionKind::Value)
        .into_iter()
        .map(|(rank, evidence)| {
            let expression = evidence.expression.as_deref().unwrap_or_default();
            let variable = is_variable(expression);
            let base = if variable { expression } else { "actual" };
            at_place(finding, rank, evidence, base, context! { variable => variable })
        })
        .collect()
}
