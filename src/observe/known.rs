//! What an earlier analysis knows of transformations, as far as an observation asks for it.

use super::first::First;
use super::run::Target;
use super::{Difference, Observed};

/// What was observed of a target, and the differences that are told.
pub type Found = (Observed, Vec<Difference>);

/// What is known of targets ahead of any run.
pub trait Known {
    /// Whether one run of the original code with these tests, and not two, may tell that the target does what it did.
    fn may_be_told_by_one(&self, target: &Target, tests: &[usize]) -> bool;

    /// Whether what the first runs of these tests say is known already, and what the repetitions would.
    fn is_known(&self, target: &Target, tests: &[usize], first: &First) -> bool;

    /// Whether there is an explanation of the target that may hold still.
    fn is_explained(&self, target: &Target) -> bool;

    /// Whether what is `told` after a few repetitions is what is known: more of them took nothing away from it then.
    fn is_told(&self, target: &Target, observed: &Observed, told: &[Difference]) -> bool;
}
