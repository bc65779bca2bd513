//! From what is open after the first runs to the tests that are worth repeating. A test in which no expression can differ says no more than that
//! the transformation infects, and a few tests say that as well as all of them do.

use super::difference::differences;
use super::screen::Open;
use super::{Difference, Observed, Site};
use std::collections::{BTreeMap, BTreeSet};

/// Tests without a difference in their expressions that are repeated for each transformation.
const TESTS_FOR_INFECTION: usize = 3;

/// What a test is to a method (by their numbers): smaller numbers are repeated first. `None`: its expressions are not watched, so that it is always
/// repeated.
pub type Preference<'a> = dyn Fn(u32, u32) -> Option<u8> + 'a;

/// What is repeated for one transformation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) open: Open,
    /// Tests that were taken to show the infection, and how well they did in the first runs.
    taken: BTreeMap<u32, Rank>,
    /// With the tests that were not taken. Empty: all were.
    all: Open,
}

/// A difference that is part of the paper's state decides, one beyond it does not; then by preference. Smaller is better.
type Rank = (bool, u8);

impl Choice {
    /// `open` is where something can differ after the `first` runs, in which the method was recorded.
    pub(super) fn new(open: &Open, first: &Observed, method: Option<u32>, preference: &Preference<'_>) -> Self {
        let everything = Self { open: open.clone(), ..Self::default() };
        let Some(method) = method else { return everything };
        let elsewhere = tests_elsewhere(open.iter().copied(), method);
        let others = open.iter().map(|(test, _)| *test).filter(|test| !elsewhere.contains(test));
        let others: BTreeSet<u32> = others.filter(|test| preference(method, *test).is_some()).collect();
        if others.len() <= TESTS_FOR_INFECTION {
            return everything;
        }
        let mut ranked = best_first(infected(&differences(first), method, preference));
        ranked.retain(|(_, test)| others.contains(test));
        let with = |chosen: &[(Rank, u32)]| -> Open {
            let chosen: BTreeSet<u32> = chosen.iter().map(|(_, test)| *test).collect();
            open.iter().copied().filter(|(test, _)| !others.contains(test) || chosen.contains(test)).collect()
        };
        let taken = ranked.get(..TESTS_FOR_INFECTION).unwrap_or(&ranked);
        Self {
            open: with(taken),
            taken: taken.iter().map(|(rank, test)| (*test, *rank)).collect(),
            all: if ranked.len() > taken.len() { with(&ranked) } else { Open::new() },
        }
    }

    /// What has to be repeated after all, with the tests that were not taken: some that were taken proved to be noise.
    pub(super) fn broken_by(&self, observed: &Observed, method: u32, preference: &Preference<'_>) -> Option<&Open> {
        if self.all.is_empty() {
            return None;
        }
        let infected = infected(&differences(observed), method, preference);
        let is_kept = self.taken.iter().all(|(test, rank)| infected.get(test) == Some(rank));
        (!is_kept).then_some(&self.all)
    }
}

/// Leaves so many tests of those that show no more than the infection: which of them were repeated may hang on noise.
pub(super) fn keep_best(differences: &mut Vec<Difference>, method: u32, preference: &Preference<'_>) {
    let places = differences.iter().map(|difference| (difference.key.test, difference.key.site));
    let elsewhere = tests_elsewhere(places, method);
    let mut ranked = best_first(infected(differences, method, preference));
    ranked.retain(|(_, test)| !elsewhere.contains(test));
    let left_out: BTreeSet<u32> = ranked.iter().skip(TESTS_FOR_INFECTION).map(|(_, test)| *test).collect();
    differences.retain(|difference| !left_out.contains(&difference.key.test));
}

/// Tests with a place that is not this method.
fn tests_elsewhere(places: impl Iterator<Item = (u32, Site)>, method: u32) -> BTreeSet<u32> {
    places.filter(|(_, site)| *site != Site::Method(method)).map(|(test, _)| test).collect()
}

/// Tests in which the method differs and whose expressions are watched.
fn infected(differences: &[Difference], method: u32, preference: &Preference<'_>) -> BTreeMap<u32, Rank> {
    let mut only_deep: BTreeMap<u32, bool> = BTreeMap::new();
    for difference in differences.iter().filter(|difference| difference.key.site == Site::Method(method)) {
        *only_deep.entry(difference.key.test).or_insert(true) &= difference.deep;
    }
    let rank = |(test, only_deep)| Some((test, (only_deep, preference(method, test)?)));
    only_deep.into_iter().filter_map(rank).collect()
}

fn best_first(infected: BTreeMap<u32, Rank>) -> Vec<(Rank, u32)> {
    let mut ranked: Vec<(Rank, u32)> = infected.into_iter().map(|(test, rank)| (rank, test)).collect();
    ranked.sort_unstable();
    ranked
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{Recorded, key, observed, property};
    use super::*;
    use crate::observation::Part;

    const METHOD: u32 = 7;

    /// In each of the tests, a field of the receiver is not the same on both sides.
    fn differing(tests: &[u32], deep: bool) -> Observed {
        let run = |value: &str| {
            tests.iter().fold(Recorded::default(), |recorded, test| {
                let value = property(Part::Receiver, ".f", "int", value);
                recorded.state(key(*test, METHOD, 1), [if deep { value.deep() } else { value }])
            })
        };
        observed(&[&run("1"); 2], &[&run("2"); 2])
    }

    fn infecting(tests: &[u32]) -> Observed {
        differing(tests, false)
    }

    fn at_method(tests: &[u32]) -> Open {
        tests.iter().map(|test| (*test, Site::Method(METHOD))).collect()
    }

    fn tests_of(open: &Open) -> Vec<u32> {
        open.iter().map(|(test, _)| *test).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Test 5 is the unit's own; the expressions of tests from 100 on are not watched.
    fn preference(_: u32, test: u32) -> Option<u8> {
        (test < 100).then_some(if test == 5 { 0 } else { 2 })
    }

    #[test]
    fn of_the_tests_that_show_the_infection_only_some_are_repeated_the_units_own_first() {
        let tests = [1, 2, 3, 4, 5, 6];
        let choice = Choice::new(&at_method(&tests), &infecting(&tests), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 5]);
        assert_eq!(choice.broken_by(&infecting(&[1, 2, 5]), METHOD, &preference), None);
    }

    #[test]
    fn few_tests_are_all_repeated_whatever_they_showed() {
        let choice = Choice::new(&at_method(&[1, 2, 3]), &infecting(&[1]), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 3]);
    }

    #[test]
    fn a_test_whose_expressions_can_differ_or_are_not_watched_is_always_repeated() {
        let tests = [1, 2, 3, 4, 6, 9, 100];
        let mut open = at_method(&tests);
        open.insert((9, Site::Expression(0)));
        open.insert((10, Site::Expression(1)));
        let choice = Choice::new(&open, &infecting(&tests), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 3, 9, 10, 100]);
    }

    #[test]
    fn what_differs_only_beyond_the_papers_state_comes_last() {
        let mut both = differing(&[1, 2, 3], true);
        both.add(infecting(&[4, 6]));
        let choice = Choice::new(&at_method(&[1, 2, 3, 4, 6]), &both, Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 4, 6]);
    }

    #[test]
    fn a_test_that_proves_to_be_noise_brings_all_others_back() {
        let tests = [1, 2, 3, 4, 6];
        let mut open = at_method(&tests);
        open.insert((8, Site::Method(METHOD)));
        let choice = Choice::new(&open, &infecting(&tests), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 3]);
        let all = choice.broken_by(&infecting(&[1, 3]), METHOD, &preference).map(tests_of);
        assert_eq!(all, Some(tests.to_vec()), "but for the one that differed in no first run");
    }

    #[test]
    fn a_test_that_shows_less_than_in_the_first_runs_brings_all_others_back() {
        let tests = [1, 2, 3, 4];
        let choice = Choice::new(&at_method(&tests), &infecting(&tests), Some(METHOD), &preference);
        let mut repeated = infecting(&[1, 2]);
        repeated.add(differing(&[3], true));
        assert!(choice.broken_by(&repeated, METHOD, &preference).is_some());
    }

    #[test]
    fn however_many_were_repeated_the_same_few_tests_are_told_of() {
        for tests in [&[1, 2, 5][..], &[1, 2, 3, 5], &[1, 2, 3, 4, 5, 6]] {
            let mut differences = differences(&infecting(tests));
            keep_best(&mut differences, METHOD, &preference);
            let told: BTreeSet<u32> = differences.iter().map(|found| found.key.test).collect();
            assert_eq!(told, BTreeSet::from([1, 2, 5]));
        }
    }
}
