//! Observes undetected transformations: runs the same tests on both sides, several times, and
//! compares the recordings.
//!
//! Invariant: a difference is constant over all runs of either side. Everything else is noise.

pub mod choice;
pub mod difference;
pub mod first;
pub mod group;
mod half;
pub mod observers;
pub mod order;
pub mod previous;
#[cfg(test)]
pub(crate) mod recorded;
mod repeat;
pub(crate) mod runs;
mod screen;
pub mod self_check;
pub mod series;
#[cfg(test)]
mod tests;

use crate::base::id::TestId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use crate::observation::{Frame, Key, Part, Property, Recording, Site, Thread};

/// The recordings of one transformation, with the same tests in the same order on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Shared by all transformations of a group.
    pub original: Vec<Arc<Recording>>,
    pub transformed: Vec<Arc<Recording>>,
    /// Runs of the original code with all tests, if the repetitions ran only some of them;
    /// otherwise empty.
    pub first: Vec<Arc<Recording>>,
    /// Tests that vary but have no constant difference. They are not compared.
    pub left_out: BTreeSet<TestId>,
}

impl Observed {
    /// Adds the observations of other tests, run by run on each side.
    pub fn add(&mut self, other: Self) {
        for (own, other) in [(&mut self.original, other.original), (&mut self.transformed, other.transformed)] {
            own.resize(own.len().max(other.len()), Arc::default());
            for (own, other) in own.iter_mut().zip(other) {
                if *own.as_ref() == Recording::default() {
                    *own = other;
                } else {
                    Arc::make_mut(own).add(Arc::unwrap_or_clone(other));
                }
            }
        }
    }

    /// Replaces the first runs by their repetitions. A test that failed in the first runs is no
    /// evidence in the repetitions either.
    pub fn repeat(&mut self, repeated: Self) {
        let before = std::mem::replace(self, repeated);
        for (own, before) in [(&mut self.original, &before.original), (&mut self.transformed, &before.transformed)] {
            let failed: BTreeSet<_> = before.iter().flat_map(|run| run.failed.iter().cloned()).collect();
            if let (Some(own), false) = (own.first_mut(), failed.is_empty()) {
                let own = &mut Arc::make_mut(own).failed;
                own.extend(failed);
                own.sort();
                own.dedup();
            }
        }
        self.first = if before.first.is_empty() { before.original } else { before.first };
    }

    /// Adds further runs of the same tests.
    pub fn extend(&mut self, more: Self) {
        self.original.extend(more.original);
        self.transformed.extend(more.transformed);
    }

    /// Tests that did not pass in some run, and why.
    pub fn failed(&self) -> impl Iterator<Item = (TestId, String)> {
        self.original.iter().chain(&self.transformed).flat_map(|run| run.failed.iter().cloned())
    }

    /// The observations of the original code in all tests.
    #[must_use]
    pub fn of_all_tests(&self) -> Self {
        let original = if self.first.is_empty() { &self.original } else { &self.first };
        Self { original: original.clone(), ..Self::default() }
    }
}

/// A property that is not the same on both sides: it is constant over all runs of one side, and no
/// run of the other side has that value.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub key: Key,
    pub part: Part,
    pub path: String,
    pub type_name: String,
    /// `None` if the property does not exist on that side.
    pub original: Option<String>,
    pub transformed: Option<String>,
    pub deep: bool,
    /// Whether only the platform's class differs that implements a container or another type, and
    /// nothing that the object says. Such a difference decides no symptom.
    pub implementation_only: bool,
    /// Run-time class of the part itself (its property with the empty path). `path` begins with one
    /// of its fields.
    pub owner: Option<String>,
    /// Stack on the original code, or else on the transformed code; empty if none was recorded.
    pub stack: Vec<Frame>,
}
