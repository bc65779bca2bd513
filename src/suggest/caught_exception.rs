//! From a difference in an exception that a test catches to the assertion on it (`rules/suggestions/assert-caught-exception.toml`).

use super::finding::{Filled, Finding};
use super::place::{at_place, is_variable, places};
use crate::propagate::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    places(finding, ExpressionKind::Caught)
        .into_iter()
        .map(|(rank, evidence)| {
            let name = evidence.expression.as_deref().filter(|name| is_variable(name)).unwrap_or("e");
            at_place(finding, rank, evidence, name, context! {})
        })
        .collect()
}
