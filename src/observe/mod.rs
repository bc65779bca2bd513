//! From undetected transformations to recordings of method state and test state, N times on both sides, and their differences.

pub mod difference;
pub mod noise;
#[cfg(test)]
pub(crate) mod recorded;
pub mod run;
pub(crate) mod runs;

use serde::{Deserialize, Serialize};

pub use crate::observation::{Frame, Key, Part, Property, Recording, Site, State};

/// The recordings of one transformation: same tests, same order on both sides.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Observed {
    pub original: Vec<Recording>,
    pub transformed: Vec<Recording>,
}

impl Observed {
    /// Adds what was observed of tests whose numbers are all higher: run by run, each side to its own.
    pub fn add(&mut self, other: Self) {
        for (own, other) in [(&mut self.original, other.original), (&mut self.transformed, other.transformed)] {
            own.resize(own.len().max(other.len()), Recording::default());
            for (own, other) in own.iter_mut().zip(other) {
                own.append(other);
            }
        }
    }
}

/// A property that is constant over all runs of the original, constant over all runs of the transformed code, and not the same.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub key: Key,
    pub part: Part,
    pub path: String,
    pub type_name: String,
    /// `None`: the property is not there on that side.
    pub original: Option<String>,
    pub transformed: Option<String>,
    pub deep: bool,
    /// Run-time class of the part itself (its property with the empty path); says whose field `path` begins with.
    pub owner: Option<String>,
    /// Stack on the original code, where recorded.
    pub stack: Vec<Frame>,
}
