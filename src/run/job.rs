//! A run of tests that a stage asks for, and the result of that run.

use crate::base::id::{GuardId, TestId};
pub use crate::jvm::client::Reported;
use crate::jvm::protocol::{Limit, Record, RunRequest, RunTest, World};

/// A run of a list of tests.
#[derive(Clone, Debug)]
pub struct Job {
    /// In the order in which they are to run.
    pub tests: Vec<RunTest>,
    /// Whether these are all tests of their classes. The engine then gets no selection of tests:
    /// runners that check a class at its end do so only if the class is complete.
    pub whole_classes: bool,
    /// The transformation that is switched on; `None` for the original code.
    pub transformation: Option<GuardId>,
    pub record: Record,
    pub start: Start,
    pub stop_at_first_failure: bool,
    /// Tests that are found only while running get numbers from here on.
    pub next_number: TestId,
    /// As [`RunTest::limit`], for a test that is not in the list.
    pub other_limit: Limit,
    pub world: World,
}

/// The class loader in which the tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new class loader, or a new JVM (see [`Loader`](crate::jvm::protocol::Loader)): a clean
    /// start.
    Clean,
    /// The class loader of the run before, unless something in it may have left traces: a warm run.
    Warm,
    /// The class loader of the run before, with the traces of all tests that have run there. If the
    /// machine ends its JVM, they run again first.
    Again,
}

/// The result of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub reported: Reported,
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
            whole_classes: self.whole_classes,
            stop_at_first_failure: self.stop_at_first_failure,
            record: self.record.clone(),
            next_number: self.next_number,
            other_limit: self.other_limit,
            world: self.world,
        }
    }
}

impl Ran {
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    /// Whether the worker lived to the end of the run, and could report everything.
    #[must_use]
    pub fn was_reported_to_end(&self) -> bool {
        matches!(self.end, End::Complete | End::Late(_))
    }

    /// Whether the methods that the tests entered are known for all tests.
    #[must_use]
    pub fn knows_entered(&self) -> bool {
        match &self.end {
            End::Complete | End::Late(_) => true,
            End::Hung(_) => self.reported.is_entered_known,
            End::Died { .. } | End::Broken(_) => false,
        }
    }
}
