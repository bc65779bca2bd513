//! Runs the same tests in two JVMs at the same time.

use super::suite::{Suite, SuiteRun};
use crate::base::error::{Error, Result};
use crate::base::id::TestId;
use crate::cover::run_log::Results;

/// A run in each of two JVMs.
pub(super) struct ParallelRuns {
    pub(super) own: SuiteRun,
    pub(super) second: SuiteRun,
}

/// Runs `tests` in the JVMs of both suites at the same time. Neither run gives up a test, because the other JVM may have
/// disturbed it.
pub(super) fn run_parallel<'a>(
    suite: &mut Suite<'a>,
    second_suite: &mut Suite<'a>,
    tests: &[TestId],
    [fresh, second_fresh]: [bool; 2],
) -> Result<ParallelRuns> {
    let given_up = suite.given_up.clone();
    second_suite.given_up.clone_from(&given_up);
    let runs = std::thread::scope(|scope| {
        let second = scope.spawn(|| second_suite.run(tests, second_fresh));
        let own = suite.run(tests, fresh);
        let second = second.join().unwrap_or_else(|_| Err(Error::bug("A thread that runs the tests panicked.")));
        let second = match second {
            // Only a run without another JVM beside it shows whether the tests can run at all.
            Err(error) if !error.ends_run() => SuiteRun { results: Results::new(), log: None },
            second => second?,
        };
        Ok(ParallelRuns { own: own?, second })
    });
    suite.given_up = given_up;
    runs
}
