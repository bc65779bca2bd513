//! One test source and what became of each of its places.

use super::compiler::Fact;
use super::names::Certainty;
use super::place::Form;
use super::positions::Utf16;
use super::sources::TestSource;
use std::collections::HashMap;

/// What became of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Probed,
    /// Why.
    ByRule(&'static str),
    /// What the compiler complained about: the key of its message.
    Refused(String),
}

/// Why javac's knowledge, or without it the look of a name, speaks against a probe.
pub(super) const NO_VALUE: &str = "types, packages, constants and other expressions whose value a probe cannot take";

/// One source, its places and what became of each.
#[derive(Debug)]
pub(super) struct ProbedFile {
    pub(super) source: TestSource,
    pub(super) fates: Vec<Fate>,
    /// Passes that ended in complaints about this source.
    pub(super) passes: usize,
    pub(super) known: bool,
}

impl ProbedFile {
    pub(super) fn new(source: TestSource) -> Self {
        let fates = vec![Fate::Probed; source.places.places.len()];
        Self { source, fates, passes: 0, known: false }
    }

    pub(super) fn chosen(&self) -> Vec<usize> {
        (0..self.fates.len()).filter(|index| self.fates.get(*index) == Some(&Fate::Probed)).collect()
    }

    pub(super) fn set(&mut self, place: usize, fate: Fate) {
        if let Some(entry) = self.fates.get_mut(place) {
            *entry = fate;
        }
    }

    /// Takes javac's knowledge of the original into account.
    pub(super) fn apply(&mut self, facts: &[(Fact, usize, usize)]) {
        let positions = Utf16::new(&self.source.text);
        let facts: HashMap<(usize, usize), Fact> =
            facts.iter().map(|(fact, start, end)| ((positions.byte(*start), positions.byte(*end)), *fact)).collect();
        for (place, fate) in self.source.places.places.iter().zip(&mut self.fates) {
            // A probe that is no wrap does not ask what its place is as an expression.
            if place.form == Form::Wrap && facts.contains_key(&(place.start, place.end)) {
                *fate = Fate::ByRule(NO_VALUE);
            }
        }
        self.known = true;
    }

    /// Without javac's knowledge the likelihood decides.
    pub(super) fn guess(&mut self) {
        for (place, fate) in self.source.places.places.iter().zip(&mut self.fates) {
            if place.certainty == Certainty::PerhapsType {
                *fate = Fate::ByRule(NO_VALUE);
            }
        }
    }
}
