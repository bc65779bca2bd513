//! Candidates: tests to be tried, each with the expressions that are looked at in it.

use crate::fix::look::Look;
use crate::fix::source::test_sources::Place;
use std::collections::BTreeSet;

/// Most expressions that are looked at in one candidate.
pub const LOOKS: usize = 60;
/// Most expressions that are looked at in new tests of one method.
const LOOKS_IN_NEW_TESTS: usize = 1600;

/// A test to be tried, with the expressions that are looked at in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The test that this candidate copies, or next to which it stands.
    pub place: Place,
    pub shape: Shape,
    pub probes: Vec<Probe>,
    /// If set, a new test looks at its expressions many times, because the method draws random
    /// values.
    pub repeat: Option<Repeat>,
}

/// The way in which a candidate reaches its expressions again in each repetition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeat {
    /// An object that all expressions ask, made once in each repetition: its type as written, and
    /// the call that makes it.
    pub object: Option<(String, String)>,
}

impl Repeat {
    /// The number of repetitions in one test.
    pub const CALLS: usize = 100;
}

/// The statements of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A copy of the whole method.
    Copy,
    /// A new test that begins with these statements; each has its lines without indentation.
    New {
        lines: Vec<String>,
        throws: String,
        /// Name of the last method that the statements call, unless that is a constructor.
        last_call: Option<String>,
    },
}

/// An expression at its place in a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name of the technique.
    pub technique: &'static str,
    pub look: Look,
    /// In a copy: the end of the statement after which the expression is evaluated.
    pub behind: usize,
    /// In a copy: the number of statements that follow in the method.
    pub statements_left: usize,
}

impl Probe {
    /// An expression at the end of a new test.
    pub fn at_end(technique: &'static str, look: Look) -> Self {
        Self { technique, look, behind: 0, statements_left: 0 }
    }
}

impl Candidate {
    pub fn is_new(&self) -> bool {
        matches!(self.shape, Shape::New { .. })
    }

    /// Tests next to `place` that begin with nothing, for the best of these expressions.
    pub fn new_tests(probes: impl Iterator<Item = Probe>, place: Place) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let mut probes: Vec<Probe> = probes.filter(|probe| seen.insert(probe.look.code())).collect();
        probes.sort_by_key(|probe| probe.look.rank);
        probes.truncate(LOOKS_IN_NEW_TESTS);
        let shape = Shape::New { lines: Vec::new(), throws: String::new(), last_call: None };
        Self { place, shape, probes: Vec::new(), repeat: None }.with_probes(&probes)
    }

    /// The same test with other expressions, in as many candidates as these need.
    pub fn with_probes(&self, probes: &[Probe]) -> Vec<Self> {
        probes.chunks(LOOKS).map(|probes| Self { probes: probes.to_vec(), ..self.clone() }).collect()
    }
}

/// Takes the first of each list, then the second of each, and so on, up to `most`.
pub fn in_turn<T>(lists: Vec<Vec<T>>, most: usize) -> Vec<T> {
    let mut iterators: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(iterators.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            all.truncate(most);
            return all;
        }
    }
}
