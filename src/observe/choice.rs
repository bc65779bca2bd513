//! Selects the tests that are worth repeating after the first runs. Two tests in which an
//! expression differs prove as much as sixty. A test in which no expression can differ only shows
//! that the transformation infects. And nobody reads about more than a few tests.

use super::screen::PossibleDifferences;
use super::{Difference, Site};
use crate::base::id::{MethodId, TestId};
use crate::observation::FIRST_OCCURRENCES;
use std::collections::{BTreeMap, BTreeSet};

/// The number of tests that are repeated for each expression that can differ. For the infection
/// alone, this many tests without such an expression are repeated.
const ENOUGH_TESTS: usize = 2;
/// The largest number of tests that are repeated for their expressions, however many expressions
/// can differ. Nobody reads about more tests in one finding.
const MOST_TESTS: usize = 4;

/// An upper bound of the results of [`steps`].
const MOST_STEPS: u8 = 32;
/// From this step on (tens of thousands of observations), a test takes long.
const LOUD: u8 = 3;

/// The preference for a test (second number) when a method (first number) is observed: tests with
/// smaller numbers are repeated first. `None` if the test's expressions are not watched, so that it
/// is always repeated.
pub type Preference<'a> = dyn Fn(MethodId, TestId) -> Option<u8> + 'a;

/// The places that are repeated for one transformation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) open: PossibleDifferences,
    /// Tests that were chosen to show the infection, with their rank in the first runs.
    taken: BTreeMap<TestId, Rank>,
    /// Tests that showed only the infection and were not chosen.
    others: BTreeSet<TestId>,
    /// All open places, without the tests that showed nothing.
    all: PossibleDifferences,
}

/// The rank of a test; smaller is better. A difference within the paper's state decides the
/// symptom, and one beyond it does not, so the former comes first. Then the preference decides.
type Rank = (bool, u8);

impl Choice {
    /// `open` are the places that can differ after the first runs, `seen` the differences so far.
    pub(super) fn new(
        open: &PossibleDifferences,
        seen: &[Difference],
        method: Option<MethodId>,
        preference: &Preference<'_>,
    ) -> Self {
        let everything = || Self { open: open.clone(), ..Self::default() };
        let Some(method) = method else { return everything() };
        let elsewhere = tests_elsewhere(open.iter().copied(), method);
        let only_infected: BTreeSet<TestId> = open
            .iter()
            .map(|(test, _)| *test)
            .filter(|test| !elsewhere.contains(test) && preference(method, *test).is_some())
            .collect();
        let mut ranked = best_first(infected(seen, method, preference));
        ranked.retain(|(_, test)| only_infected.contains(test));
        // If there are only a few, all are repeated, whatever they showed.
        let is_few = only_infected.len() <= ENOUGH_TESTS;
        if is_few {
            ranked.clear();
        }
        let taken: BTreeMap<TestId, Rank> =
            ranked.iter().take(ENOUGH_TESTS).map(|(rank, test)| (*test, *rank)).collect();
        let others = ranked.iter().skip(ENOUGH_TESTS).map(|(_, test)| *test).collect();
        let showed_nothing =
            |test: &TestId| !is_few && only_infected.contains(test) && !ranked.iter().any(|(_, ranked)| ranked == test);
        let all: PossibleDifferences = open.iter().copied().filter(|(test, _)| !showed_nothing(test)).collect();
        let best = told_tests(&best_by_site(&all, method, preference), method, preference);
        let is_chosen = |test: &TestId| {
            if only_infected.contains(test) {
                is_few || taken.contains_key(test)
            } else {
                best.contains(test) || preference(method, *test).is_none()
            }
        };
        Self { open: all.iter().copied().filter(|(test, _)| is_chosen(test)).collect(), taken, others, all }
    }

    /// The places that have to be repeated after all, including tests that were not chosen; `None`
    /// if the choice was good enough. `told` are the differences after the chosen tests were
    /// repeated. The choice fails if all differences of the expressions of a chosen test proved to be
    /// noise, because that test took the place of another one, or if a chosen test no longer shows
    /// the infection as it did in the first runs.
    pub(super) fn broken_by(
        &self,
        told: &[Difference],
        method: MethodId,
        preference: &Preference<'_>,
    ) -> Option<PossibleDifferences> {
        if self.all.len() == self.open.len() {
            return None;
        }
        let infected = infected(told, method, preference);
        let is_infection_kept = self.taken.iter().all(|(test, rank)| infected.get(test) == Some(rank));
        let is_expression = |site: Site| site != Site::Method(method);
        let shown = tests_elsewhere(told.iter().map(|found| (found.key.test, found.key.site)), method);
        let is_shown = tests_elsewhere(self.open.iter().copied(), method).is_subset(&shown);
        let chosen: BTreeSet<TestId> = self.open.iter().map(|(test, _)| *test).collect();
        let unheard = self.all.iter().filter(|(test, _)| !chosen.contains(test));
        let heard: BTreeSet<TestId> = unheard
            .filter(|(test, site)| {
                (!is_shown && is_expression(*site)) || (!is_infection_kept && self.others.contains(test))
            })
            .map(|(test, _)| *test)
            .collect();
        let with = |(test, _): &(TestId, Site)| chosen.contains(test) || heard.contains(test);
        (!heard.is_empty()).then(|| self.all.iter().copied().filter(with).collect())
    }
}

/// Keeps the differences that the best tests show: those of each expression in its [`ENOUGH_TESTS`]
/// best tests, and those of the method in the same tests, which are at most [`MOST_TESTS`]. If the
/// method differs in none of these, its differences in its own [`ENOUGH_TESTS`] best tests are
/// kept. Tests whose expressions are not watched are always kept. Noise may decide which other
/// tests were repeated, so these are not reported.
pub(super) fn keep_best(differences: &mut Vec<Difference>, method: MethodId, preference: &Preference<'_>) {
    let places: PossibleDifferences =
        differences.iter().map(|difference| (difference.key.test, difference.key.site)).collect();
    let by_site = best_by_site(&places, method, preference);
    let mut told = told_tests(&by_site, method, preference);
    let infected = infected(differences, method, preference);
    if !infected.keys().any(|test| told.contains(test)) {
        told.extend(best_first(infected).into_iter().take(ENOUGH_TESTS).map(|(_, test)| test));
    }
    differences.retain(|difference| {
        let (test, site) = (difference.key.test, difference.key.site);
        let is_best = || by_site.get(&site).is_none_or(|best| best.contains(&test));
        preference(method, test).is_none() || (told.contains(&test) && is_best())
    });
}

/// The best tests of each site except the method itself. Only tests whose expressions are watched
/// count, and only those in which the site is among `places`.
fn best_by_site(
    places: &PossibleDifferences,
    method: MethodId,
    preference: &Preference<'_>,
) -> BTreeMap<Site, Vec<TestId>> {
    let mut by_site: BTreeMap<Site, Vec<(u8, TestId)>> = BTreeMap::new();
    for (test, site) in places.iter().filter(|(_, site)| *site != Site::Method(method)) {
        if let Some(rank) = preference(method, *test) {
            by_site.entry(*site).or_default().push((rank, *test));
        }
    }
    let best = |mut tests: Vec<(u8, TestId)>| {
        tests.sort_unstable();
        tests.into_iter().take(ENOUGH_TESTS).map(|(_, test)| test).collect()
    };
    by_site.into_iter().map(|(site, tests)| (site, best(tests))).collect()
}

/// Ranks a test by its nearness, then by the amount that it does. Of equally near tests, those that
/// do less are repeated and reported first: they take less time and are easier to read. The amount
/// counts in steps of a factor of four, not by the clock, so that the choice is always the same.
pub(super) fn with_amount(near: u8, amount: u64) -> u8 {
    near.saturating_mul(MOST_STEPS).saturating_add(steps(amount))
}

fn steps(amount: u64) -> u8 {
    let steps = (amount / u64::from(FIRST_OCCURRENCES)).checked_ilog2().map_or(0, |log| log / 2 + 1);
    u8::try_from(steps).unwrap_or(MOST_STEPS).min(MOST_STEPS - 1)
}

/// The best tests of all sites, at most [`MOST_TESTS`]. Tests that do much are added only while
/// there are fewer than [`ENOUGH_TESTS`].
fn told_tests(
    by_site: &BTreeMap<Site, Vec<TestId>>,
    method: MethodId,
    preference: &Preference<'_>,
) -> BTreeSet<TestId> {
    let all: BTreeSet<(Option<u8>, TestId)> =
        by_site.values().flatten().map(|test| (preference(method, *test), *test)).collect();
    let mut told = BTreeSet::new();
    for (rank, test) in all {
        let is_loud = rank.is_some_and(|rank| rank % MOST_STEPS >= LOUD);
        if told.len() < if is_loud { ENOUGH_TESTS } else { MOST_TESTS } {
            told.insert(test);
        }
    }
    told
}

/// Tests with a place other than this method.
fn tests_elsewhere(places: impl Iterator<Item = (TestId, Site)>, method: MethodId) -> BTreeSet<TestId> {
    places.filter(|(_, site)| *site != Site::Method(method)).map(|(test, _)| test).collect()
}

/// Tests in which the method differs and whose expressions are watched.
fn infected(differences: &[Difference], method: MethodId, preference: &Preference<'_>) -> BTreeMap<TestId, Rank> {
    let mut only_deep: BTreeMap<TestId, bool> = BTreeMap::new();
    for difference in differences.iter().filter(|difference| difference.key.site == Site::Method(method)) {
        *only_deep.entry(difference.key.test).or_insert(true) &= difference.deep;
    }
    let rank = |(test, only_deep)| Some((test, (only_deep, preference(method, test)?)));
    only_deep.into_iter().filter_map(rank).collect()
}

fn best_first(infected: BTreeMap<TestId, Rank>) -> Vec<(Rank, TestId)> {
    let mut ranked: Vec<(Rank, TestId)> = infected.into_iter().map(|(test, rank)| (rank, test)).collect();
    ranked.sort_unstable();
    ranked
}

#[cfg(test)]
mod tests {
    use super::super::Observed;
    use super::super::difference::differences;
    use super::super::recorded::{Recorded, key, observed, property};
    use super::*;
    use crate::base::id::ExpressionId;
    use crate::observation::{Key, Part};

    const METHOD: MethodId = MethodId(7);

    /// A field of the receiver differs between the two sides in each of these tests.
    fn differing(tests: &[u32], deep: bool) -> Observed {
        let run = |value: &str| {
            tests.iter().fold(Recorded::default(), |recorded, test| {
                let value = property(Part::Receiver, ".f", "int", value);
                recorded.state(key(*test, METHOD.0, 1), [if deep { value.deep() } else { value }])
            })
        };
        observed(&[&run("1"); 2], &[&run("2"); 2])
    }

    fn infecting(tests: &[u32]) -> Observed {
        differing(tests, false)
    }

    fn at_method(tests: &[u32]) -> PossibleDifferences {
        tests.iter().map(|test| (TestId(*test), Site::Method(METHOD))).collect()
    }

    fn tests_of(open: &PossibleDifferences) -> Vec<u32> {
        open.iter().map(|(test, _)| test.0).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Test 5 belongs to the unit's own test class. The expressions of tests from 100 on are not
    /// watched.
    fn preference(_: MethodId, test: TestId) -> Option<u8> {
        (test.0 < 100).then_some(if test.0 == 5 { 0 } else { 2 })
    }

    #[test]
    fn of_the_tests_that_show_the_infection_only_some_are_repeated_the_units_own_first() {
        let tests = [1, 2, 3, 4, 5, 6];
        let choice = Choice::new(&at_method(&tests), &differences(&infecting(&tests)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 5]);
        assert_eq!(choice.broken_by(&differences(&infecting(&[1, 5])), METHOD, &preference), None);
    }

    #[test]
    fn few_tests_are_all_repeated_whatever_they_showed() {
        let choice = Choice::new(&at_method(&[1, 2]), &differences(&infecting(&[1])), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2]);
    }

    #[test]
    fn a_test_that_is_the_only_one_for_an_expression_or_is_not_watched_is_always_repeated() {
        let tests = [1, 2, 3, 4, 6, 9, 100];
        let mut open = at_method(&tests);
        open.insert((TestId(9), Site::Expression(ExpressionId(0))));
        open.insert((TestId(10), Site::Expression(ExpressionId(1))));
        let choice = Choice::new(&open, &differences(&infecting(&tests)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 9, 10, 100]);
    }

    /// The expression differs between the two sides in each of these tests.
    fn at_expression(tests: &[u32], expression: u32) -> Observed {
        let run = |value: &str| {
            tests.iter().fold(Recorded::default(), |recorded, test| {
                let key = Key { site: Site::Expression(ExpressionId(expression)), ..key(*test, METHOD.0, 1) };
                recorded.state(key, [property(Part::Expression, "", "int", value)])
            })
        };
        observed(&[&run("1"); 2], &[&run("2"); 2])
    }

    fn open_at(tests: &[u32], expression: u32) -> PossibleDifferences {
        tests.iter().map(|test| (TestId(*test), Site::Expression(ExpressionId(expression)))).collect()
    }

    #[test]
    fn of_the_tests_in_which_an_expression_differs_the_nearest_few_are_repeated() {
        let tests = [1, 2, 3, 4, 5];
        let mut open = open_at(&tests, 0);
        open.extend(open_at(&[4, 6], 1));
        open.extend(at_method(&tests));
        let choice = Choice::new(&open, &differences(&at_expression(&tests, 0)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 4, 5, 6]);
        let mut repeated = at_expression(&[1, 4, 5], 0);
        repeated.add(at_expression(&[6], 1));
        let more = choice.broken_by(&differences(&repeated), METHOD, &preference);
        assert_eq!(more, None, "4 differs in one of its expressions, but 4 and 6 are all there are for the other");
    }

    #[test]
    fn of_many_tests_with_expressions_of_their_own_the_nearest_few_are_repeated() {
        let tests: Vec<u32> = (1..10).collect();
        let each = |tests: &[u32]| {
            let mut observed = at_expression(&[], 0);
            tests.iter().for_each(|test| observed.add(at_expression(&[*test], *test)));
            observed
        };
        let open: PossibleDifferences =
            tests.iter().map(|test| (TestId(*test), Site::Expression(ExpressionId(*test)))).collect();
        let choice = Choice::new(&open, &differences(&each(&tests)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 3, 5]);
        assert_eq!(choice.broken_by(&differences(&each(&[1, 2, 3, 5])), METHOD, &preference), None);
        for shown in [&[][..], &[3], &[1, 2, 3]] {
            let more = choice.broken_by(&differences(&each(shown)), METHOD, &preference);
            assert_eq!(more.map(|open| tests_of(&open)), Some(tests.clone()), "noise took the place of other tests");
        }
        let mut differences = differences(&each(&[1, 2, 4, 5, 6, 7, 8, 9]));
        keep_best(&mut differences, METHOD, &preference);
        let told: BTreeSet<u32> = differences.iter().map(|found| found.key.test.0).collect();
        assert_eq!(told, BTreeSet::from([1, 2, 4, 5]));
    }

    #[test]
    fn where_all_that_a_chosen_test_showed_was_noise_all_others_are_looked_at() {
        let tests = [1, 2, 3, 4];
        let mut open = open_at(&tests, 0);
        open.extend(open_at(&[11, 12, 13, 14], 1));
        let choice = Choice::new(&open, &differences(&at_expression(&tests, 0)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2, 11, 12]);
        let after = |repeated: &Observed| {
            choice.broken_by(&differences(repeated), METHOD, &preference).map(|open| tests_of(&open))
        };
        let mut all = at_expression(&[11, 12], 1);
        assert_eq!(after(&all), Some(vec![1, 2, 3, 4, 11, 12, 13, 14]));
        all.add(at_expression(&[1, 2], 0));
        assert_eq!(after(&all), None);
    }

    #[test]
    fn where_an_expression_differs_what_only_infects_is_told_if_nothing_else_says_so() {
        let told = |mut differences: Vec<Difference>| {
            keep_best(&mut differences, METHOD, &preference);
            differences.iter().map(|found| found.key.test.0).collect::<BTreeSet<_>>()
        };
        let mut apart = at_expression(&[3], 0);
        apart.add(infecting(&[1, 2, 4]));
        assert_eq!(told(differences(&apart)), BTreeSet::from([1, 2, 3]));
        let mut together = at_expression(&[3], 0);
        together.add(infecting(&[1, 2, 3, 4]));
        assert_eq!(told(differences(&together)), BTreeSet::from([3]));
    }

    #[test]
    fn what_is_told_of_an_expression_is_what_its_best_tests_show() {
        for tests in [&[1, 2, 5][..], &[1, 2, 3, 5], &[1, 2, 3, 4, 5, 6]] {
            let mut differences = differences(&at_expression(tests, 0));
            keep_best(&mut differences, METHOD, &preference);
            let told: BTreeSet<u32> = differences.iter().map(|found| found.key.test.0).collect();
            assert_eq!(told, BTreeSet::from([1, 5]));
        }
    }

    #[test]
    fn what_differs_only_beyond_the_papers_state_comes_last() {
        let mut both = differing(&[1, 2, 3], true);
        both.add(infecting(&[6]));
        let choice = Choice::new(&at_method(&[1, 2, 3, 4, 6]), &differences(&both), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 6]);
    }

    #[test]
    fn a_test_that_proves_to_be_noise_brings_all_others_back() {
        let tests = [1, 2, 3, 4, 6];
        let mut open = at_method(&tests);
        open.insert((TestId(8), Site::Method(METHOD)));
        let choice = Choice::new(&open, &differences(&infecting(&tests)), Some(METHOD), &preference);
        assert_eq!(tests_of(&choice.open), [1, 2]);
        let all = choice.broken_by(&differences(&infecting(&[1])), METHOD, &preference).map(|open| tests_of(&open));
        assert_eq!(all, Some(tests.to_vec()), "but for the one that differed in no first run");
    }

    #[test]
    fn a_test_that_shows_less_than_in_the_first_runs_brings_all_others_back() {
        let tests = [1, 2, 3, 4];
        let choice = Choice::new(&at_method(&tests), &differences(&infecting(&tests)), Some(METHOD), &preference);
        let mut repeated = infecting(&[1]);
        repeated.add(differing(&[2], true));
        assert!(choice.broken_by(&differences(&repeated), METHOD, &preference).is_some());
    }

    #[test]
    fn tests_in_which_much_happens_stand_behind_others_that_are_as_near() {
        assert_eq!([0, 999, 1_000, 3_999, 4_000, 16_000, u64::MAX].map(steps), [0, 0, 1, 1, 2, 3, 28]);
        assert!(steps(u64::MAX) < MOST_STEPS);
    }

    #[test]
    fn a_test_in_which_much_happens_is_not_needed_beside_two_others() {
        let loud = |near: u8| with_amount(near, 100_000);
        let told = |ranks: &[u8]| {
            let tests = (0..ranks.len()).map(TestId::new);
            let sites = tests.map(|test| (Site::Expression(ExpressionId(test.0)), vec![test]));
            let preference = |_: MethodId, test: TestId| ranks.get(test.index()).copied();
            told_tests(&sites.collect(), METHOD, &preference).into_iter().map(|test| test.0).collect::<Vec<_>>()
        };
        assert_eq!(told(&[loud(1), with_amount(1, 10), loud(1), loud(2)]), [0, 1]);
        assert_eq!(told(&[loud(1), loud(1), with_amount(2, 10), with_amount(2, 10), with_amount(2, 10)]), [0, 1, 2, 3]);
    }

    #[test]
    fn however_many_were_repeated_the_same_few_tests_are_told_of() {
        for tests in [&[1, 2, 5][..], &[1, 2, 3, 5], &[1, 2, 3, 4, 5, 6]] {
            let mut differences = differences(&infecting(tests));
            keep_best(&mut differences, METHOD, &preference);
            let told: BTreeSet<u32> = differences.iter().map(|found| found.key.test.0).collect();
            assert_eq!(told, BTreeSet::from([1, 5]));
        }
    }
}
