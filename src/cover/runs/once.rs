//! Runs slow tests only once: repeating them would take most of the time and rarely shows anything new.
//!
//! Nothing here shows that such a test is stable. If a verdict depends on it, it runs again there (`detect`), and
//! observations are repeated anyway. If the outcome of any other test differs without the slow tests, all tests run.

use super::repeat::{Repetition, SecondAndThird, outcome};
use super::suite::SuiteRun;
use crate::base::error::Result;
use crate::base::id::{IdSlice, TestId};
use crate::cover::coverage::Test;
use crate::cover::run_log::{Results, RunLog};
use crate::cover::slow::{SlowThreshold, duration, slow_tests};
use crate::jvm::protocol::{Finished, Outcome};
use std::collections::BTreeSet;

/// The threshold in the first run. A test below it runs three times. It is higher than the threshold for slow tests in
/// three runs, because a single time says less.
const IN_FIRST_RUN: SlowThreshold = SlowThreshold { among_invocations: 300_000_000, within_class: 800_000_000 };
/// The part of a test's time that counts as set-up, for each class that it loads, in nanoseconds.
const SET_UP_PER_CLASS: u64 = 1_000_000;

/// The second and the third run of the tests.
pub(crate) struct RepeatedRuns {
    /// In a class loader in which the tests have run before.
    pub(crate) again: Results,
    /// From another clean start.
    pub(crate) clean: Results,
    /// The logs of both, if both completed.
    pub(crate) logs: Option<[RunLog; 2]>,
    /// Tests that did not run again: both runs have copies of their first results.
    pub(crate) run_once: BTreeSet<TestId>,
}

/// Runs `tests` again in the same class loader and from another clean start; `first` is the run of all tests. With
/// `may_run_once`, slow tests do not run again. `expect_tests` is called with the number of test runs to come.
pub(crate) fn repeat_tests(
    repetition: &mut Repetition<'_, '_>,
    tests: &[TestId],
    first: &SuiteRun,
    may_run_once: bool,
    expect_tests: &dyn Fn(usize),
) -> Result<RepeatedRuns> {
    // None of the tests can be used, whether they fail each time or are flaky.
    if first.results.values().all(|result| result.outcome == Outcome::Failed) {
        let (again, clean) = (first.results.clone(), first.results.clone());
        return Ok(RepeatedRuns { again, clean, logs: None, run_once: BTreeSet::new() });
    }
    let slow = if may_run_once { tests_to_run_once(&repetition.suite.tests, tests, first) } else { BTreeSet::new() };
    let others: Vec<TestId> = tests.iter().copied().filter(|test| !slow.contains(test)).collect();
    expect_tests(2 * others.len());
    let runs = repetition.run(&others, &first.results)?;
    if slow.is_empty() {
        return Ok(repeated(runs));
    }
    if is_same_without(&repetition.suite.tests, &slow, &others, first, &runs) {
        return Ok(with_copies(&repetition.suite.tests, &slow, first, runs));
    }
    expect_tests(2 * tests.len());
    Ok(repeated(repetition.run_from_clean_start(tests)?))
}

fn repeated(SecondAndThird { again, clean }: SecondAndThird) -> RepeatedRuns {
    let logs = again.log.zip(clean.log).map(|(again, clean)| [again, clean]);
    RepeatedRuns { again: again.results, clean: clean.results, logs, run_once: BTreeSet::new() }
}

/// The tests that passed and took far longer than similar tests, without the set-up that they seem to do for others.
fn tests_to_run_once(all: &IdSlice<TestId, Test>, tests: &[TestId], first: &SuiteRun) -> BTreeSet<TestId> {
    let without_set_up =
        |result: &Finished| duration(result).saturating_sub(SET_UP_PER_CLASS * u64::from(result.classes));
    let mut slow = slow_tests(all, tests, |test| first.results.get(&test).map_or(0, without_set_up), IN_FIRST_RUN);
    slow.retain(|test| {
        first.results.get(test).is_some_and(|result| result.outcome == Outcome::Passed && !result.of_class)
    });
    slow
}

/// Whether the `others` have the same outcomes as in the `first` run although the slow tests did not run. In the same
/// class loader, tests may fail for reasons of their own; there, only classes with slow tests count.
fn is_same_without(
    all: &IdSlice<TestId, Test>,
    slow: &BTreeSet<TestId>,
    others: &[TestId],
    first: &SuiteRun,
    runs: &SecondAndThird,
) -> bool {
    let class = |test: &TestId| all.get(*test).map(Test::top_level_class);
    let classes: BTreeSet<Option<&str>> = slow.iter().map(class).collect();
    let is_same = |run: &SuiteRun, test: TestId| outcome(&first.results, test) == outcome(&run.results, test);
    others.iter().all(|test| is_same(&runs.clean, *test))
        && others.iter().filter(|test| classes.contains(&class(test))).all(|test| is_same(&runs.again, *test))
}

/// Adds the first results of the slow tests to both runs.
fn with_copies(
    all: &IdSlice<TestId, Test>,
    slow: &BTreeSet<TestId>,
    first: &SuiteRun,
    runs: SecondAndThird,
) -> RepeatedRuns {
    let run_once: BTreeSet<TestId> = slow.clone();
    let mut runs = repeated(runs);
    for results in [&mut runs.again, &mut runs.clean] {
        results.extend(slow.iter().filter_map(|test| Some((*test, first.results.get(test)?.clone()))));
    }
    let logs = first.log.as_ref().zip(runs.logs).and_then(|(first, [again, clean])| {
        Some([first.fill_in(all, again, &run_once)?, first.fill_in(all, clean, &run_once)?])
    });
    RepeatedRuns { logs, run_once, ..runs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::test_data::{tests, took};

    const SECOND: u64 = 1_000_000_000;

    fn fails(number: u32) -> Finished {
        Finished { outcome: Outcome::Failed, ..took(number, 1) }
    }

    fn suite_run(finished: &[Finished]) -> SuiteRun {
        let log = RunLog { finished: finished.to_vec(), entered_after: Vec::new() };
        SuiteRun { results: log.results(), log: Some(log) }
    }

    fn first() -> Vec<Finished> {
        vec![took(0, 1), took(1, SECOND), took(2, 1), took(3, 1)]
    }

    fn run_once(first: &[Finished]) -> BTreeSet<u32> {
        let run_once = tests_to_run_once(&tests(), &[0, 1, 2, 3].map(TestId), &suite_run(first));
        run_once.into_iter().map(|test| test.0).collect()
    }

    #[test]
    fn a_passing_test_that_takes_far_longer_than_the_others_of_its_class_runs_once() {
        assert_eq!(run_once(&first()), BTreeSet::from([1]));
        let mut failing = first();
        failing[1].outcome = Outcome::Failed;
        assert_eq!(run_once(&failing), BTreeSet::new());
    }

    #[test]
    fn loading_classes_counts_as_set_up() {
        let mut loads = first();
        loads[1].classes = 900;
        assert_eq!(run_once(&loads), BTreeSet::new());
        loads[1].classes = 100;
        assert_eq!(run_once(&loads), BTreeSet::from([1]));
    }

    fn is_same(again: &[Finished], clean: &[Finished]) -> bool {
        let runs = SecondAndThird { again: suite_run(again), clean: suite_run(clean) };
        is_same_without(&tests(), &BTreeSet::from([TestId(1)]), &[0, 2, 3].map(TestId), &suite_run(&first()), &runs)
    }

    #[test]
    fn all_tests_run_if_another_test_fails_without_a_slow_one() {
        let others = [took(0, 1), took(2, 1), took(3, 1)];
        assert!(is_same(&others, &others));
        assert!(!is_same(&others, &[took(0, 1), took(2, 1), fails(3)]));
    }

    #[test]
    fn all_tests_run_if_a_test_of_the_same_class_fails_the_second_time_without_a_slow_one() {
        let others = [took(0, 1), took(2, 1), took(3, 1)];
        assert!(is_same(&[took(0, 1), took(2, 1), fails(3)], &others));
        assert!(!is_same(&[took(0, 1), fails(2), took(3, 1)], &others));
    }
}
