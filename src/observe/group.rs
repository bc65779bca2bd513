//! Groups undetected transformations that the same tests reach, so that they can be observed
//! together.

use super::choice::{Preference, keep_best};
use super::difference::differences;
use super::observers::Observers;
use super::screen::{PossibleDifferences, open};
use super::series::{MACHINES, Target};
use super::{Difference, Observed, Site};
use crate::base::id::{MethodId, TestId, TransformationId};
use std::collections::{BTreeMap, BTreeSet};

/// Transformations that the same tests reach. One set of runs on the original code serves all of
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// If several groups wait for a JVM, the one with the lowest rank is next.
    pub rank: usize,
    /// In the order of the suite.
    pub tests: Vec<TestId>,
    pub targets: Vec<Target>,
    /// Other methods, observed in the same way as the tests' expressions.
    pub other_methods: Vec<MethodId>,
}

impl Target {
    /// Whether differences at this site count for this target. Those of the group's other methods
    /// do not.
    fn asks_for(&self, site: Site) -> bool {
        self.method.is_none_or(|own| !matches!(site, Site::Method(other) if other != own))
    }

    /// The places at which something can differ after the first runs.
    pub(super) fn open(&self, first: &Observed) -> PossibleDifferences {
        let mut open = open(first);
        open.retain(|(_, site)| self.asks_for(*site));
        open
    }

    /// Selects the differences that the best tests show.
    pub(super) fn best(&self, mut told: Vec<Difference>, preference: &Preference<'_>) -> Vec<Difference> {
        self.method.into_iter().for_each(|method| keep_best(&mut told, method, preference));
        told
    }

    pub(super) fn differences(&self, observed: &Observed) -> Vec<Difference> {
        let mut differences = differences(observed);
        differences.retain(|found| self.asks_for(found.key.site));
        differences
    }
}

impl Group {
    /// The time of the group's first runs at the speed of the original code, in nanoseconds. The
    /// most expensive group starts first and waits for no other group, so that no group waits for
    /// it at the end.
    #[must_use]
    pub fn time(&self, observers: &Observers<'_>) -> u64 {
        let runs = u64::try_from(MACHINES + self.targets.len()).unwrap_or(u64::MAX);
        observers.time(&self.tests).saturating_mul(runs)
    }

    pub(super) fn methods(&self) -> Vec<Site> {
        methods_of(&self.targets)
    }

    /// The group with only these targets (by their indices).
    pub(super) fn of(&self, targets: &[usize]) -> Self {
        let targets = targets.iter().filter_map(|index| self.targets.get(*index).copied()).collect();
        Self { targets, ..self.clone() }
    }
}

/// The methods of these targets, sorted, each once.
pub(super) fn methods_of<'t>(targets: impl IntoIterator<Item = &'t Target>) -> Vec<Site> {
    let methods: BTreeSet<MethodId> = targets.into_iter().filter_map(|target| target.method).collect();
    methods.into_iter().map(Site::Method).collect()
}

/// An undetected transformation: its id, the id of its method, and its covering tests in the order
/// of the suite.
pub type Undetected = (TransformationId, MethodId, Vec<TestId>);

/// Groups transformations by equal lists of tests, and sorts the groups by these lists.
#[must_use]
pub fn group(undetected: &[Undetected]) -> Vec<Group> {
    let mut groups: BTreeMap<&[TestId], Group> = BTreeMap::new();
    for (transformation, method, tests) in undetected {
        let group = groups.entry(tests).or_insert_with(|| Group { tests: tests.clone(), ..Group::default() });
        group.targets.push(Target { transformation: Some(*transformation), method: Some(*method) });
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_with_the_same_tests_share_the_runs_of_the_original() {
        let undetected = |transformation, method, tests: &[u32]| {
            (TransformationId(transformation), MethodId(method), tests.iter().copied().map(TestId).collect())
        };
        let groups = group(&[
            undetected(4, 20, &[1, 2]),
            undetected(7, 30, &[3]),
            undetected(9, 20, &[1, 2]),
            undetected(10, 10, &[1, 2]),
        ]);
        let target = |(transformation, method): &(u32, u32)| Target {
            transformation: Some(TransformationId(*transformation)),
            method: Some(MethodId(*method)),
        };
        let of = |tests: &[u32], targets: &[(u32, u32)]| Group {
            tests: tests.iter().copied().map(TestId).collect(),
            targets: targets.iter().map(target).collect(),
            ..Group::default()
        };
        assert_eq!(groups, [of(&[1, 2], &[(4, 20), (9, 20), (10, 10)]), of(&[3], &[(7, 30)])]);
    }
}
