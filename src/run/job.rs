//! A run of tests that a stage asks for, and the result of that run.

use crate::base::id::{GuardId, MethodId, TestId};
use crate::jvm::client;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Record, RunRequest, RunTest};
use crate::observation::Recording;

/// A run of a list of tests.
#[derive(Clone, Debug)]
pub struct Job {
    /// In the order in which they are to run.
    pub tests: Vec<RunTest>,
    /// The transformation that is switched on; `None` for the original code.
    pub transformation: Option<GuardId>,
    pub record: Record,
    pub start: Start,
    pub stop_at_first_failure: bool,
    /// Tests that are found only while running get numbers from here on.
    pub next_number: TestId,
    /// As [`RunTest::limit`], for a test that is not in the list.
    pub other_limit: Limit,
}

/// The class loader in which the tests run.
#[derive(Clone, Debug)]
pub enum Start {
    /// A new class loader, or a new JVM (see [`Loader`](crate::jvm::protocol::Loader)): a clean
    /// start.
    Clean,
    /// The class loader of the run before, unless something in it may have left traces: a warm run.
    Warm,
    /// The class loader in which these tests have run, including their traces. If the machine ended
    /// its JVM, they run again first.
    After(Vec<RunTest>),
}

/// The result of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub finished: Vec<Finished>,
    /// Tests that appeared only while running: number, test.
    pub unexpected: Vec<(TestId, FoundTest)>,
    pub recording: Option<Recording>,
    /// Methods that the test entered that did not come to its end.
    pub entered: Vec<MethodId>,
    /// The worker reported `entered` before it was lost.
    pub is_entered_known: bool,
    pub end: End,
}

/// The end of a job. The tests are the cause of each variant: a new JVM would do the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Complete,
    /// The test did not end in time, but ended when the transformation was switched off.
    Late(TestId),
    /// The test did not end.
    Hung(Option<TestId>),
    /// The JVM ended while this test was running.
    Died {
        test: Option<TestId>,
        /// How it ended, in words.
        exit: Option<String>,
    },
    /// The JVM could not run the tests.
    Broken(String),
}

impl Job {
    pub(super) fn request(&self, is_clean: bool) -> RunRequest {
        RunRequest {
            fresh: is_clean,
            active: self.transformation,
            tests: self.tests.clone(),
            stop_at_first_failure: self.stop_at_first_failure,
            record: self.record.clone(),
            next_number: self.next_number,
            other_limit: self.other_limit,
        }
    }
}

impl Ran {
    pub(super) fn new(ran: client::Ran, end: End) -> Self {
        let client::Ran { finished, unexpected, recording, entered, is_entered_known, .. } = ran;
        Self { finished, unexpected, recording, entered, is_entered_known, end }
    }

    /// Whether the methods that the tests entered are known for all tests.
    #[must_use]
    pub fn knows_entered(&self) -> bool {
        match &self.end {
            End::Complete | End::Late(_) => true,
            End::Hung(_) => self.is_entered_known,
            End::Died { .. } | End::Broken(_) => false,
        }
    }
}
