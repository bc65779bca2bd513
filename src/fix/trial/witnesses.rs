//! Reads recordings of both sides: which expressions are witnesses, and which objects have a
//! different state.

use crate::base::id::{ExpressionId, TransformationId};
use crate::fix::candidate::Probe;
use crate::fix::expected::{Expected, is_comparison};
use crate::fix::look::About;
use crate::fix::trial::bench::MACHINES;
use crate::fix::trial::chance::variation;
use crate::fix::trial::expectation::{expectations, infected_object, steady_state, values_each_time};
use crate::fix::trial::exploration::{CandidateKey, Exploration, Group, InfectedObject, Witness};
use crate::fix::trial::mock_calls::differing_call;
use crate::fix::trial::trial_test::TrialTest;
use crate::observe::difference::differences;
use crate::observe::{Difference, Observed, Part, Property, Recording, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The recordings of the original code.
pub struct Originals {
    /// One from each JVM.
    pub all: Vec<Arc<Recording>>,
    /// The same and more, for tests of methods that draw random values.
    pub of_random: Vec<Arc<Recording>>,
}

/// Reads the recordings of one exploration.
pub struct Reader<'t> {
    pub groups: &'t [Group],
    pub tests: &'t [TrialTest<'t>],
    /// By candidate, the number of its first expression.
    pub numbers: &'t BTreeMap<CandidateKey, usize>,
    pub originals: &'t Originals,
}

impl Reader<'_> {
    /// Adds the witnesses of a transformation, and the objects whose state it changes.
    pub fn read(
        &self,
        group: usize,
        transformation: TransformationId,
        transformed: Vec<Arc<Recording>>,
        exploration: &mut Exploration,
    ) {
        let is_random = self.groups.get(group).is_some_and(|group| group.is_random);
        let originals = if is_random { &self.originals.of_random } else { &self.originals.all };
        exploration.witnesses.extend(self.varying(originals, group, transformation, &transformed));
        let observed = Observed { original: originals.clone(), transformed, ..Observed::default() };
        let mut seen = BTreeSet::new();
        for difference in differences(&observed) {
            let Some((key, number, index)) = self.expression(&difference, group) else { continue };
            if seen.contains(&(key.candidate, index)) {
                continue;
            }
            let (CandidateKey { candidate, .. }, probe) = (key, index);
            let today = || steady_state(originals, difference.key.test, number);
            let expected = self.expected(&difference, key, index, today);
            if !expected.is_empty() {
                seen.insert((candidate, probe));
            } else if let Some((class, field)) = infected_object(&difference, today) {
                exploration.infected.push(InfectedObject { group, candidate, probe, transformation, class, field });
            }
            let witness = |expected| Witness { group, candidate, probe, transformation, expected };
            exploration.witnesses.extend(expected.into_iter().map(witness));
        }
    }

    /// The candidate, the number and the index of the expression that differs, if it belongs to
    /// this group.
    ///
    /// Repeated expressions are left out: [`Self::varying`] reads them.
    fn expression(&self, difference: &Difference, group: usize) -> Option<(CandidateKey, ExpressionId, usize)> {
        let Site::Expression(number) = difference.key.site else { return None };
        let test = self.tests.get(difference.key.test.index()).filter(|test| test.key.group == group)?;
        if self.groups.get(group).is_some_and(|group| group.repeats(test.key.candidate)) {
            return None;
        }
        let first = self.numbers.get(&test.key)?;
        Some((test.key, number, number.index().checked_sub(*first)?))
    }

    fn expected(
        &self,
        difference: &Difference,
        key: CandidateKey,
        probe: usize,
        today: impl Fn() -> Vec<Property>,
    ) -> Vec<Expected> {
        match self.probe(key, probe).map(|probe| &probe.look.about) {
            Some(About::MockCalls { mock, .. }) if difference.part == Part::Expression => {
                let (original, transformed) = (difference.original.as_deref(), difference.transformed.as_deref());
                differing_call(original, transformed, mock).into_iter().collect()
            }
            _ => {
                let found = expectations(difference, today);
                let look = self.probe(key, probe).map(|probe| &probe.look);
                if !look.is_some_and(|look| is_comparison(&look.expression)) {
                    return found;
                }
                found.into_iter().map(|one| one.by_sign(difference.transformed.as_deref())).collect()
            }
        }
    }

    fn probe(&self, key: CandidateKey, probe: usize) -> Option<&Probe> {
        self.groups.get(key.group)?.candidates.get(key.candidate)?.probes.get(probe)
    }

    /// The witnesses among repeated expressions: they vary on the original code, and do not with
    /// the transformation, whatever chance decides.
    fn varying(
        &self,
        originals: &[Arc<Recording>],
        group: usize,
        transformation: TransformationId,
        transformed: &[Arc<Recording>],
    ) -> Vec<Witness> {
        let mut found = Vec::new();
        let Some(of_group) = self.groups.get(group) else { return found };
        for test in self.tests.iter().filter(|test| test.key.group == group) {
            let CandidateKey { candidate, .. } = test.key;
            if !of_group.repeats(candidate) {
                continue;
            }
            let first = self.numbers.get(&test.key).copied().unwrap_or(0);
            for probe in 0..of_group.candidates.get(candidate).map_or(0, |candidate| candidate.probes.len()) {
                let expression = ExpressionId::new(first + probe);
                let values = |runs: &[Arc<Recording>]| -> Vec<Vec<String>> {
                    runs.iter().take(MACHINES).map(|run| values_each_time(run, test.number, expression)).collect()
                };
                let expected = variation(&values(originals), &values(transformed));
                let witness = |expected| Witness { group, candidate, probe, transformation, expected };
                found.extend(expected.map(witness));
            }
        }
        found
    }
}
