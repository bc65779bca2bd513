//! The input and the result of an exploration: candidates of methods, and the expressions of them
//! that differ.

use crate::base::id::TransformationId;
use crate::fix::candidate::Candidate;
use crate::fix::expected::Expected;
use crate::fix::trial::entered::EnteredMethods;
use std::collections::BTreeMap;

/// The candidates of one method, and its transformations that no test notices.
pub struct Group {
    pub candidates: Vec<Candidate>,
    pub transformations: Vec<TransformationId>,
    /// Whether the method draws random values, itself or through what it calls.
    pub is_random: bool,
}

/// A candidate: the index of its group, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidateKey {
    pub group: usize,
    pub candidate: usize,
}

impl Group {
    pub fn repeats(&self, candidate: usize) -> bool {
        self.candidates.get(candidate).is_some_and(|candidate| candidate.repeat.is_some())
    }

    /// The number of expressions in all candidates.
    pub fn expressions(&self) -> usize {
        self.candidates.iter().map(|candidate| candidate.probes.len()).sum()
    }

    /// The same for each technique, by name.
    pub fn expressions_of_techniques(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for probe in self.candidates.iter().flat_map(|candidate| &candidate.probes) {
            *counts.entry(probe.technique).or_default() += 1;
        }
        counts
    }
}

/// An expression that shows a transformation: it gives `expected` on the original code only.
#[derive(Clone, Debug)]
pub struct Witness {
    pub group: usize,
    pub candidate: usize,
    pub probe: usize,
    pub transformation: TransformationId,
    pub expected: Expected,
}

/// An expression that gives an object whose state differs under a transformation, which no
/// assertion can name.
#[derive(Clone, Debug)]
pub struct InfectedObject {
    pub group: usize,
    pub candidate: usize,
    pub probe: usize,
    pub transformation: TransformationId,
    /// Binary name of its class.
    pub class: String,
    /// The field that leads to the difference.
    pub field: String,
}

/// The result of an exploration.
#[derive(Default)]
pub struct Exploration {
    pub witnesses: Vec<Witness>,
    pub infected: Vec<InfectedObject>,
    /// One for each group.
    pub entered: Vec<EnteredMethods>,
    /// For each group, the number of expressions that the original code evaluated.
    pub evaluated: Vec<usize>,
}
