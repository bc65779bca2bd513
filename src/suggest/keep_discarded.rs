//! From a difference in a value that the test throws away to keeping and asserting it (`rules/suggestions/keep-discarded.toml`).

use super::finding::{Filled, Finding};
use super::place::{at_place, places};
use crate::propagate::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    places(finding, ExpressionKind::Discarded)
        .into_iter()
        .map(|(rank, evidence)| at_place(finding, rank, evidence, "actual", context! {}))
        .collect()
}
