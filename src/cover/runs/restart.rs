//! Runs tests to the end: restarts after a test that hangs or ends the JVM.

use super::suite::{Interruption, Suite, SuiteRun};
use crate::base::error::Result;
use crate::base::id::TestId;
use crate::cover::run_log::Results;

impl Suite<'_> {
    /// Runs tests, by their numbers. The results include tests that were found only while running.
    pub(crate) fn run(&mut self, tests: &[TestId], fresh: bool) -> Result<SuiteRun> {
        let results = self.run_with_restarts(tests, fresh)?;
        Ok(SuiteRun { results, log: self.take_log() })
    }

    fn run_with_restarts(&mut self, tests: &[TestId], mut fresh: bool) -> Result<Results> {
        let mut results = Results::new();
        let mut remaining: Vec<TestId> = tests.to_vec();
        loop {
            remaining.retain(|test| !results.contains_key(test) && !self.given_up.contains_key(test));
            if remaining.is_empty() {
                break;
            }
            let outcome = self.request(&remaining, fresh)?;
            let is_stuck = fresh && outcome.results.is_empty();
            results.extend(outcome.results);
            match outcome.interruption {
                None => break,
                Some(Interruption::TestHung(_)) => {}
                Some(Interruption::JvmEnded(test)) => {
                    if !fresh || remaining.first() != Some(&test) {
                        results.extend(self.run_suspect_alone(test)?);
                    }
                }
                // Without a single result, the set-up of the first class interrupted the request.
                Some(Interruption::BetweenTests) if is_stuck => self.give_up_first_class(&remaining),
                Some(Interruption::BetweenTests) => {}
            }
            fresh = true;
        }
        results.extend(self.given_up.iter().map(|(test, result)| (*test, result.clone())));
        Ok(results)
    }

    /// Runs a test alone that was running when the JVM ended. A thread that an earlier test left behind can end the JVM
    /// during any later test; the test is only given up if the JVM also ends when it runs alone.
    fn run_suspect_alone(&mut self, test: TestId) -> Result<Results> {
        self.given_up.remove(&test);
        Ok(self.request(&[test], true)?.results)
    }

    /// Gives up all tests of the class of the first test.
    fn give_up_first_class(&mut self, tests: &[TestId]) {
        let class_of = |test: &TestId| self.tests.get(*test).map(|test| test.class.clone());
        let class = tests.first().and_then(class_of);
        let same: Vec<TestId> = tests.iter().copied().filter(|test| class_of(test) == class).collect();
        for test in same {
            self.give_up(test, "the JVM ends, or hangs, before it starts".to_owned(), Vec::new());
        }
    }
}
