//! Runs the tests a second time in the same class loader, and a third time from another clean start. With two jobs, both
//! happen at the same time, each in its own JVM.
//!
//! A test with a different outcome beside another JVM may compete with it for a resource (a port, a file), or be flaky.
//! Further runs distinguish the two: some alone, then some beside the same test.

use super::suite::{Suite, SuiteRun};
use crate::base::error::Result;
use crate::base::id::{IdSlice, TestId};
use crate::cover::coverage::Test;
use crate::cover::run_log::Results;
use crate::jvm::protocol::Outcome;
use std::collections::BTreeSet;

/// How often a test with a different outcome beside another JVM runs alone, and beside itself.
const TRIALS: usize = 3;

/// Repeats tests, and remembers what that shows about them.
pub(crate) struct Repetition<'s, 'a> {
    pub(super) suite: &'s mut Suite<'a>,
    /// Whether a second JVM runs the same tests at the same time.
    is_parallel: bool,
    /// Tests that pass alone, but not beside themselves.
    pub(crate) competing: BTreeSet<TestId>,
    /// Flaky tests that do not compete, with the different result.
    pub(crate) flaky: Results,
}

/// The second run, in the same class loader, and the third run, from a clean start.
pub(crate) struct SecondAndThird {
    pub(crate) again: SuiteRun,
    pub(crate) clean: SuiteRun,
}

impl<'s, 'a> Repetition<'s, 'a> {
    pub(crate) fn new(suite: &'s mut Suite<'a>, is_parallel: bool) -> Self {
        Self { suite, is_parallel, competing: BTreeSet::new(), flaky: Results::new() }
    }

    /// Runs `tests` in the class loader of the first run, which ran all of them, and from a clean start. `first` are the
    /// results of the first run.
    pub(super) fn run(&mut self, tests: &[TestId], first: &Results) -> Result<SecondAndThird> {
        if !self.is_parallel {
            return Ok(SecondAndThird { again: self.suite.run(tests, false)?, clean: self.suite.run(tests, true)? });
        }
        let runs = self.suite.run_in_both(tests, false)?;
        let (mut again, mut clean) = (runs.own, runs.second);
        if let Some(log) = &clean.log {
            self.suite.add_fixtures(log);
        }
        let mut suspects = different_results(tests, first, &[&again, &clean]);
        let is_complete = again.log.is_some() && clean.log.is_some() && runs.found_same_tests;
        if is_complete && suspects.is_empty() {
            return Ok(SecondAndThird { again, clean });
        }
        // To run alone, a test must not have the second JVM beside it.
        self.suite.end_second_jvm();
        if !is_complete {
            // A test that ends the JVM, or that is only found while running, needs a run of its own each time. The class
            // loader of the first run may be gone.
            return self.run_from_clean_start(tests);
        }
        if suspects.keys().any(|test| outcome(&again.results, *test) != outcome(first, *test)) {
            again = self.suite.run(tests, false)?;
        }
        if suspects.keys().any(|test| outcome(&clean.results, *test) != outcome(first, *test)) {
            clean = self.suite.run(tests, true)?;
        }
        // If the outcome is still different without the second JVM, that JVM is not the cause.
        suspects.retain(|test, _| different_results(&[*test], first, &[&again, &clean]).is_empty());
        self.classify(tests, first, suspects)?;
        self.suite.end_second_jvm();
        Ok(SecondAndThird { again, clean: self.with_flaky_results(clean) })
    }

    /// Runs `tests` from a clean start, and then again in the same class loader. For tests that did not all run in the
    /// current class loader.
    pub(super) fn run_from_clean_start(&mut self, tests: &[TestId]) -> Result<SecondAndThird> {
        let clean = self.suite.run(tests, true)?;
        let again = self.suite.run(tests, false)?;
        Ok(SecondAndThird { again, clean: self.with_flaky_results(clean) })
    }

    /// Puts the different results of flaky tests into the run. Its log is dropped, so that no later analysis relies on it.
    fn with_flaky_results(&self, mut clean: SuiteRun) -> SuiteRun {
        if !self.flaky.is_empty() {
            clean.results.extend(self.flaky.iter().map(|(test, result)| (*test, result.clone())));
            clean.log = None;
        }
        clean
    }

    /// Decides which of these tests compete and which are flaky. Their outcome was different beside another JVM, but not
    /// without it; `suspects` has the different results.
    fn classify(&mut self, tests: &[TestId], first: &Results, mut suspects: Results) -> Result<()> {
        let classes: BTreeSet<&str> = suspects.keys().filter_map(|test| class_of(&self.suite.tests, *test)).collect();
        let is_in_classes =
            |test: &TestId| class_of(&self.suite.tests, *test).is_some_and(|class| classes.contains(class));
        let of_classes: Vec<TestId> = tests.iter().copied().filter(is_in_classes).collect();
        let numbers = |suspects: &Results| suspects.keys().copied().collect::<Vec<TestId>>();
        for _ in 0..TRIALS {
            if suspects.is_empty() {
                return Ok(());
            }
            let alone = self.suite.run(&of_classes, true)?;
            for test in different_results(&numbers(&suspects), first, &[&alone]).into_keys() {
                self.flaky.extend(suspects.remove_entry(&test));
            }
        }
        // One more trial, because in the first one the second JVM is still starting.
        for _ in 0..=TRIALS {
            if suspects.is_empty() {
                return Ok(());
            }
            let runs = self.suite.run_in_both(&of_classes, true)?;
            for test in different_results(&numbers(&suspects), first, &[&runs.own, &runs.second]).into_keys() {
                suspects.remove(&test);
                self.competing.insert(test);
            }
        }
        self.flaky.extend(suspects);
        Ok(())
    }
}

fn class_of(tests: &IdSlice<TestId, Test>, test: TestId) -> Option<&str> {
    tests.get(test).map(|test| test.class.as_str())
}

/// The results in `runs` of those tests whose outcome is not that of the `first` run.
fn different_results(tests: &[TestId], first: &Results, runs: &[&SuiteRun]) -> Results {
    let mut different = Results::new();
    for test in tests {
        let odd_runs = runs.iter().filter(|run| outcome(&run.results, *test) != outcome(first, *test));
        if let Some(result) = odd_runs.into_iter().find_map(|run| run.results.get(test)) {
            different.insert(*test, result.clone());
        }
    }
    different
}

pub(super) fn outcome(results: &Results, test: TestId) -> Option<Outcome> {
    results.get(&test).map(|result| result.outcome)
}
