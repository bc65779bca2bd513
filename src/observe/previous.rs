//! Knowledge of an earlier analysis about transformations, as far as an observation needs it.

use super::first::First;
use super::series::Target;
use super::{Difference, Observed};
use crate::base::id::TestId;

/// The observations of a target, and the differences that are reported.
pub type Found = (Observed, Vec<Difference>);

/// The results of an earlier analysis.
pub trait Previous {
    /// Whether one run of the original code with these tests, instead of two, may show that the
    /// target does the same as before.
    fn may_need_one_run(&self, target: &Target, tests: &[TestId]) -> bool;

    /// Whether the first runs of these tests did the same as before, so that the repetitions would,
    /// too.
    fn is_known(&self, target: &Target, tests: &[TestId], first: &First) -> bool;

    /// Whether there is an explanation of the target that may still hold.
    fn is_explained(&self, target: &Target) -> bool;

    /// Whether the differences after a few repetitions are those of the explanation. In the earlier
    /// analysis, further repetitions removed none of them.
    fn is_confirmed(&self, target: &Target, observed: &Observed, differences: &[Difference]) -> bool;
}
