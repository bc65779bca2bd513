//! One test source and the fate of each of its places.

use super::compiler::Fact;
use super::names::Certainty;
use super::place::Form;
use super::positions::Utf16;
use super::sources::TestSource;
use std::collections::HashMap;

/// The fate of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Probed,
    /// Not probed, for this reason.
    ByRule(&'static str),
    /// Refused by javac: the key of its message.
    Refused(String),
}

/// The reason if javac's facts, or without them the look of a name, speak against a probe.
pub(super) const NO_VALUE: &str = "types, packages, constants and other expressions whose value a probe cannot take";

/// One source, its places and their fates.
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

    /// Applies javac's facts about the original.
    pub(super) fn apply(&mut self, facts: &[(Fact, usize, usize)]) {
        let positions = Utf16::new(&self.source.text);
        let facts: HashMap<(usize, usize), Fact> =
            facts.iter().map(|(fact, start, end)| ((positions.byte(*start), positions.byte(*end)), *fact)).collect();
        for (place, fate) in self.source.places.places.iter().zip(&mut self.fates) {
            // Only a wrap needs an expression with a value.
            if place.form == Form::Wrap && facts.contains_key(&(place.start, place.end)) {
                *fate = Fate::ByRule(NO_VALUE);
            }
        }
        self.known = true;
    }

    /// Decides by likelihood, without javac's facts.
    pub(super) fn guess(&mut self) {
        for (place, fate) in self.source.places.places.iter().zip(&mut self.fates) {
            if place.certainty == Certainty::PerhapsType {
                *fate = Fate::ByRule(NO_VALUE);
            }
        }
    }
}
