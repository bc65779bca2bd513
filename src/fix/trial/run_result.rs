//! The result of a run of trial tests.

use crate::base::id::{MethodId, TestId};
use crate::jvm::protocol::{Finished, Outcome};
use crate::observe::Recording;
use crate::run::{Completion, Reported};
use std::collections::BTreeSet;

/// The result of a run of tests, by their numbers.
#[derive(Debug, Default)]
pub struct RunResult {
    pub finished: Vec<Finished>,
    pub recording: Recording,
    /// Tests that did not end.
    pub stuck: BTreeSet<TestId>,
    /// Methods that were entered in attempts that were given up.
    pub entered_otherwise: BTreeSet<MethodId>,
    /// Whether the entered methods of some attempt are unknown.
    pub is_lost: bool,
    /// The tests that read the clock.
    pub read_clock: BTreeSet<TestId>,
    /// Messages of exceptions that the JDK made.
    pub messages: BTreeSet<String>,
}

impl From<Completion> for RunResult {
    /// The results of the run that completed, and all that is known of the others.
    fn from(completion: Completion) -> Self {
        let stuck = completion.stuck.into_keys().collect();
        let mut result = Self { stuck, ..Self::default() };
        for run in completion.runs {
            // A test that hangs or ends the JVM does not report the methods that it entered.
            result.is_lost |= !run.was_reported_to_end();
            let is_complete = run.is_complete();
            let Reported { finished, recording, entered, read_clock, messages, .. } = run.reported;
            result.read_clock.extend(read_clock);
            result.messages.extend(messages);
            result.entered_otherwise.extend(entered);
            if is_complete {
                result.finished = finished;
                result.recording = recording.unwrap_or_default();
            } else {
                let of_tests = finished.iter().flat_map(|test| test.between().chain(test.entered.iter().copied()));
                result.entered_otherwise.extend(of_tests);
            }
        }
        result
    }
}

impl RunResult {
    /// The outcome of the test itself, if it ended.
    #[must_use]
    pub fn of(&self, number: TestId) -> Option<&Finished> {
        self.finished.iter().rev().find(|finished| finished.number == number && !finished.of_class)
    }

    #[must_use]
    pub fn passed(&self, number: TestId) -> bool {
        self.of(number).is_some_and(|finished| finished.outcome == Outcome::Passed)
    }

    /// The tests whose classes failed as a whole, with the failure.
    pub fn failed_with_class(&self) -> impl Iterator<Item = &Finished> {
        self.finished.iter().filter(|finished| finished.of_class && finished.outcome == Outcome::Failed)
    }

    /// Adds the result of a run of other tests.
    pub fn add(&mut self, other: Self) {
        let Self { finished, recording, stuck, entered_otherwise, is_lost, read_clock, messages } = other;
        self.read_clock.extend(read_clock);
        self.messages.extend(messages);
        self.finished.extend(finished);
        self.recording.add(recording);
        self.stuck.extend(stuck);
        self.entered_otherwise.extend(entered_otherwise);
        self.is_lost |= is_lost;
    }
}

/// Whether a test failed by an assertion.
#[must_use]
pub fn is_by_assertion(finished: &Finished) -> bool {
    let name = finished.exception.rsplit(['.', '$']).next().unwrap_or_default();
    // Truth has an `AssertionErrorWithCause`, other libraries have their own, and Mockito has one
    // for each way in which a call can differ.
    let is_verification = finished.exception.starts_with("org.mockito.exceptions.verification.");
    let words = ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailures"];
    finished.outcome == Outcome::Failed && (is_verification || words.iter().any(|word| name.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(number: u32, outcome: Outcome, exception: &str) -> Finished {
        Finished { outcome, exception: exception.into(), ..Finished::passed(number, &[]) }
    }

    #[test]
    fn the_errors_of_all_libraries_are_failed_assertions() {
        let failed = |exception: &str| is_by_assertion(&finished(0, Outcome::Failed, exception));
        let truth = "com.google.common.truth.Truth$AssertionErrorWithCause";
        let mockito = "org.mockito.exceptions.verification.WantedButNotInvoked";
        let all = [
            "java.lang.AssertionError",
            "org.opentest4j.AssertionFailedError",
            "org.junit.ComparisonFailure",
            truth,
            mockito,
        ];
        assert!(all.iter().all(|exception| failed(exception)));
        assert!(!failed("java.lang.IllegalStateException") && !failed("org.junit.AssumptionViolatedException"));
        assert!(!is_by_assertion(&finished(0, Outcome::Skipped, "java.lang.AssertionError")));
    }
}
