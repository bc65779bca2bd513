//! Reuses the runs of an earlier analysis for tests that no edit reaches.

mod earlier_runs;
mod order_dependent;
mod reusable;
mod skipped;

pub use earlier_runs::EarlierRuns;
pub(super) use earlier_runs::same_tests;
pub(super) use reusable::{ReusableResults, has_different_outcomes};
