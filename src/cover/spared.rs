//! From the run of the tests from a clean start to the two that follow, without tests that take far longer than what is like them: half of the time would
//! be theirs, and they say no more the second time.
//!
//! That such a test does the same again is not seen here; where a verdict comes to hang on it, it runs again there (`detect`), and what is observed in
//! it is repeated anyway. Where anything shows that others need it, or that what takes it so long is set-up that another one has to do in its place, all run.

use super::set_up::top_level;
use super::slow::{Least, far_behind, weight};
use super::twice::{Ran, Twice, outcome, run};
use super::{Outcomes, Run, Test};
use crate::base::error::Result;
use crate::jvm::protocol::{Finished, Outcome};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A test that takes less runs three times. More than makes it slow: this is what it takes in one run.
const LEAST: Least = Least { of_test: 300_000_000, of_class: 800_000_000 };
/// For each class that it loads, so much of what a test takes is set-up, in nanoseconds.
const CLASS: u64 = 1_000_000;
/// A test that takes so large a part of a spared one's time longer without it, or more, has to do in its place what takes that time.
const TAKEN_OVER: u64 = 3;

/// What follows the first run.
pub(super) struct Reruns {
    /// In a class loader in which they have run before.
    pub(super) again: Outcomes,
    /// From another clean start.
    pub(super) clean: Outcomes,
    /// The same, in order, where each came to its end by itself.
    pub(super) told: Option<[Run; 2]>,
    /// Tests that did not run again: what they did the first time stands in their place.
    pub(super) spared: BTreeSet<u32>,
}

/// Runs `open` again, and from another clean start; `first` is what all did from the first one. With `may_spare`, tests that are far behind the others are
/// left out. `left` is told how many runs of a test are to come.
pub(super) fn reruns(
    twice: &mut Twice<'_, '_>,
    open: &[usize],
    first: (&Outcomes, Option<&Run>),
    may_spare: bool,
    left: &dyn Fn(usize),
) -> Result<Reruns> {
    let of_all = |[(again, again_told), (clean, clean_told)]: [Ran; 2]| {
        let told = again_told.zip(clean_told).map(|(again, clean)| [again, clean]);
        Ok(Reruns { again, clean, told, spared: BTreeSet::new() })
    };
    // Whether they fail each time or now and then: none of them can be used.
    if first.0.values().all(|one| one.outcome == Outcome::Failed) {
        return of_all([(first.0.clone(), None), (first.0.clone(), None)]);
    }
    let spared = if may_spare { spared(&twice.suite.tests, open, first.0) } else { BTreeSet::new() };
    if spared.is_empty() {
        left(twice.left_of(open));
        return of_all(twice.run(open, first.0)?);
    }
    if let Some(reruns) = without(twice, open, first, &spared, left)? {
        return Ok(reruns);
    }
    left(2 * open.len());
    of_all(twice.run_from_clean_start(open)?)
}

/// The same without the `spared` tests; `None` where that shows.
fn without(
    twice: &mut Twice<'_, '_>,
    open: &[usize],
    (first, first_told): (&Outcomes, Option<&Run>),
    spared: &BTreeSet<usize>,
    left: &dyn Fn(usize),
) -> Result<Option<Reruns>> {
    let few: Vec<usize> = open.iter().copied().filter(|test| !spared.contains(test)).collect();
    left(twice.left_of(&few));
    let [(mut again, again_told), (mut clean, clean_told)] = twice.run(&few, first)?;
    take_as_here(twice, spared, &few, first, &mut clean)?;
    let tests = &twice.suite.tests;
    if !is_same_in_their_classes(tests, spared, &few, first, &again) || !do_without(tests, spared, &few, first, &clean)
    {
        return Ok(None);
    }
    for run in [&mut again, &mut clean] {
        run.extend(spared.iter().filter_map(|test| Some((*test, first.get(test)?.clone()))));
    }
    let spared: BTreeSet<u32> = spared.iter().filter_map(|test| u32::try_from(*test).ok()).collect();
    let told = first_told.zip(again_told).zip(clean_told).and_then(|((first, again), clean)| {
        Some([with_copies(tests, first, again, &spared)?, with_copies(tests, first, clean, &spared)?])
    });
    Ok(Some(Reruns { again, clean, told, spared }))
}

/// Those that passed and are far behind the others, without what they seem to set up.
pub(super) fn spared(tests: &[Test], open: &[usize], first: &Outcomes) -> BTreeSet<usize> {
    let without_set_up = |test: usize| {
        let of = |one: &Finished| weight(one).saturating_sub(CLASS * u64::from(one.classes));
        first.get(&test).map_or(0, of)
    };
    let mut spared = far_behind(tests, open, without_set_up, LEAST);
    spared.retain(|test| first.get(test).is_some_and(|one| one.outcome == Outcome::Passed && !one.of_class));
    spared
}

/// Some of what takes long is set up once for a JVM (names of time zones), and counts for nothing in the next clean start. In another JVM, which has to do
/// that itself, or where the JVM has forgotten it meanwhile (soft references), those that took over seem to take long: they take what their classes take
/// here and now, from a clean start.
fn take_as_here(
    twice: &mut Twice<'_, '_>,
    spared: &BTreeSet<usize>,
    few: &[usize],
    first: &Outcomes,
    clean: &mut Outcomes,
) -> Result<()> {
    let tests = &twice.suite.tests;
    let takers = take_over(tests, spared, few, first, clean);
    let class = |test: &usize| tests.get(*test).map(|test| &*test.class);
    let classes: BTreeSet<Option<&str>> = takers.iter().map(class).collect();
    let with_them: Vec<usize> = few.iter().copied().filter(|test| classes.contains(&class(test))).collect();
    if with_them.is_empty() {
        return Ok(());
    }
    let (here, _) = run(twice.suite, &with_them, true)?;
    for test in takers {
        if let (Some(there), Some(here)) = (clean.get_mut(&test), here.get(&test)) {
            (there.nanoseconds, there.cpu_nanoseconds) = (here.nanoseconds, here.cpu_nanoseconds);
        }
    }
    Ok(())
}

/// Whether all others did in `clean` what they do with the spared ones, and none took over what makes these so long.
fn do_without(tests: &[Test], spared: &BTreeSet<usize>, few: &[usize], first: &Outcomes, clean: &Outcomes) -> bool {
    few.iter().all(|test| outcome(first, *test) == outcome(clean, *test))
        && take_over(tests, spared, few, first, clean).is_empty()
}

/// Those in the classes of the spared ones that take over in `clean` what makes these so long. By how much they take longer than before, and not by how far
/// behind the spared ones are: that varies with what else the machine does.
fn take_over(
    tests: &[Test],
    spared: &BTreeSet<usize>,
    few: &[usize],
    first: &Outcomes,
    clean: &Outcomes,
) -> Vec<usize> {
    let taken = |run: &Outcomes, test: usize| run.get(&test).map_or(0, weight);
    let mut least: BTreeMap<&str, u64> = BTreeMap::new();
    for test in spared {
        if let Some(known) = tests.get(*test) {
            let least = least.entry(&known.class).or_insert(u64::MAX);
            *least = (*least).min(taken(first, *test));
        }
    }
    let takes_over = |test: usize| {
        let least = tests.get(test).and_then(|test| least.get(&*test.class));
        least.is_some_and(|least| taken(clean, test) > taken(first, test) + least / TAKEN_OVER)
    };
    few.iter().copied().filter(|test| takes_over(*test)).collect()
}

/// Whether in these classes the others did `again` what they do with the spared ones.
fn is_same_in_their_classes(
    tests: &[Test],
    spared: &BTreeSet<usize>,
    few: &[usize],
    first: &Outcomes,
    again: &Outcomes,
) -> bool {
    let classes: BTreeSet<&str> = spared.iter().filter_map(|test| tests.get(*test)).map(top_level).collect();
    let is_there = |test: &&usize| tests.get(**test).is_some_and(|test| classes.contains(top_level(test)));
    few.iter().filter(is_there).all(|test| outcome(first, *test) == outcome(again, *test))
}

/// `run` with what the `spared` tests did the first time in their places. What happens ahead of a class is told by the test that comes first in it: here
/// a spared one. `None` where the places are not there.
pub(super) fn with_copies(tests: &[Test], first: &Run, run: Run, spared: &BTreeSet<u32>) -> Option<Run> {
    let key = |one: &Finished| (one.number, one.of_class);
    let is_spared = |one: &Finished| spared.contains(&one.number) && !one.of_class;
    let mut behind: HashMap<Option<(u32, bool)>, Vec<&Finished>> = HashMap::new();
    let mut ahead = None;
    for one in &first.finished {
        if is_spared(one) {
            behind.entry(ahead).or_default().push(one);
        } else {
            ahead = Some(key(one));
        }
    }
    let told: HashMap<(u32, bool), &Finished> = first.finished.iter().map(|one| (key(one), one)).collect();
    let mut finished: Vec<Finished> = Vec::with_capacity(first.finished.len());
    let mut copies = behind.remove(&None);
    for mut one in run.finished {
        if let Some(copies) = copies.take() {
            let class = |one: &Finished| tests.get(one.number as usize).map(top_level);
            let from = finished.len();
            finished.extend(copies.into_iter().cloned());
            // What was told ahead of this one is ahead of the copies of its class.
            let first_of_class = finished.iter_mut().skip(from).find(|copy| class(copy) == class(&one));
            if let (Some(copy), Some(told)) = (first_of_class, told.get(&key(&one))) {
                copy.torn_down = std::mem::replace(&mut one.torn_down, told.torn_down.clone());
                copy.set_up = std::mem::replace(&mut one.set_up, told.set_up.clone());
            }
        }
        copies = behind.remove(&Some(key(&one)));
        finished.push(one);
    }
    finished.extend(copies.into_iter().flatten().cloned());
    behind.is_empty().then_some(Run { finished, rest: run.rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;

    const SECOND: u64 = 1_000_000_000;

    /// Tests `a` and `c` of `ATest`, with the slow `b` between them, and one of `BTest`.
    fn tests() -> Vec<Test> {
        let test = |name: &str, class: &str| Test {
            id: name.into(),
            name: name.into(),
            class: class.into(),
            recipe: RecipeId(0),
        };
        vec![test("ATest.a", "ATest"), test("ATest.b", "ATest"), test("ATest.c", "ATest"), test("BTest.a", "BTest")]
    }

    fn took(number: u32, cpu_nanoseconds: u64) -> Finished {
        Finished { cpu_nanoseconds, ..Finished::passed(number, &[number]) }
    }

    fn outcomes(run: &[Finished]) -> Outcomes {
        run.iter().map(|one| (one.number as usize, one.clone())).collect()
    }

    fn first() -> Vec<Finished> {
        vec![took(0, 1), took(1, SECOND), took(2, 1), took(3, 1)]
    }

    fn spared_of(run: &[Finished]) -> BTreeSet<usize> {
        spared(&tests(), &[0, 1, 2, 3], &outcomes(run))
    }

    #[test]
    fn a_test_far_behind_the_others_of_its_class_is_spared() {
        assert_eq!(spared_of(&first()), BTreeSet::from([1]));
        let mut failing = first();
        failing[1].outcome = Outcome::Failed;
        assert_eq!(spared_of(&failing), BTreeSet::new());
    }

    #[test]
    fn what_loads_classes_is_set_up() {
        let mut loads = first();
        loads[1].classes = 900;
        assert_eq!(spared_of(&loads), BTreeSet::new());
        loads[1].classes = 100;
        assert_eq!(spared_of(&loads), BTreeSet::from([1]));
    }

    #[test]
    fn where_another_one_takes_as_long_in_its_place_nobody_is_spared() {
        let holds = |clean: &[Finished]| {
            do_without(&tests(), &BTreeSet::from([1]), &[0, 2, 3], &outcomes(&first()), &outcomes(clean))
        };
        assert!(holds(&[took(0, 1), took(2, 1), took(3, 1)]));
        assert!(!holds(&[took(0, 1), took(2, SECOND / 2), took(3, 1)]), "it sets up what `b` did");
        assert!(holds(&[took(0, 1), took(2, SECOND / 4 + 1), took(3, 1)]), "and here the machine was busy");
        let needs_it = Finished { outcome: Outcome::Failed, ..took(3, 1) };
        assert!(!holds(&[took(0, 1), took(2, 1), needs_it]));
    }

    #[test]
    fn a_class_that_fails_the_second_time_without_a_spared_test_runs_whole() {
        let holds = |again: &[Finished]| {
            let (spared, first) = (BTreeSet::from([1]), outcomes(&first()));
            is_same_in_their_classes(&tests(), &spared, &[0, 2, 3], &first, &outcomes(again))
        };
        let fails = |number: u32| Finished { outcome: Outcome::Failed, ..took(number, 1) };
        assert!(holds(&[took(0, 1), took(2, 1), fails(3)]));
        assert!(!holds(&[took(0, 1), fails(2), took(3, 1)]));
    }

    #[test]
    fn copies_stand_where_their_tests_would() {
        let first = Run { finished: first(), rest: vec![9] };
        let part = Run { finished: vec![took(0, 1), took(2, 1), took(3, 1)], rest: vec![8] };
        let whole = with_copies(&tests(), &first, part, &BTreeSet::from([1]));
        assert_eq!(whole, Some(Run { finished: first.finished, rest: vec![8] }));
    }

    #[test]
    fn what_happens_ahead_of_a_class_is_told_by_a_copy_that_is_its_first() {
        let mut finished = first();
        finished[0].set_up = vec![7, 6];
        let part = vec![Finished { set_up: vec![7], ..took(1, SECOND) }, took(2, 1), took(3, 1)];
        let first = Run { finished, rest: Vec::new() };
        let whole = with_copies(&tests(), &first, Run { finished: part, rest: Vec::new() }, &BTreeSet::from([0]));
        assert_eq!(set_up(whole), [vec![7], vec![], vec![], vec![]]);
    }

    #[test]
    fn what_happens_behind_a_class_is_not_told_by_a_copy_that_is_its_last() {
        let mut finished = first();
        finished[3].set_up = vec![7];
        let part = vec![took(0, 1), took(1, SECOND), finished[3].clone()];
        let first = Run { finished, rest: Vec::new() };
        let whole = with_copies(&tests(), &first, Run { finished: part, rest: Vec::new() }, &BTreeSet::from([2]));
        assert_eq!(set_up(whole), [vec![], vec![], vec![], vec![7]]);
    }

    fn set_up(run: Option<Run>) -> Vec<Vec<u32>> {
        run.into_iter().flat_map(|run| run.finished).map(|one| one.set_up).collect()
    }

    #[test]
    fn without_the_test_ahead_of_it_a_copy_has_no_place() {
        let first = Run { finished: first(), rest: Vec::new() };
        let part = Run { finished: vec![took(2, 1), took(3, 1)], rest: Vec::new() };
        assert_eq!(with_copies(&tests(), &first, part, &BTreeSet::from([1])), None);
    }
}
