//! The tests of a recipe, the session that runs them, and a single job for it.

use crate::base::error::{Error, Result};
use crate::base::id::{IdVec, MethodId, RecipeId, TestId};
use crate::cover::coverage::Test;
use crate::cover::fixture_coverage::FixtureCoverage;
use crate::cover::run_log::{Results, RunLog};
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Outcome, Record, RunTest};
use crate::recipe::Engine;
use crate::run::{End, Job, Ran, Session, Start};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// CPU time that a test on the original code may use, in milliseconds. A test that uses more is quarantined.
const LONGEST_TEST: u64 = 120_000;

/// The tests of a recipe and the session that runs them.
pub(crate) struct Suite<'a> {
    /// In the order in which they were found.
    pub(crate) tests: IdVec<TestId, Test>,
    /// Index into `tests` by the engine's identifier.
    numbers: HashMap<String, TestId>,
    /// Tests that hung or ended the JVM. They do not run again.
    pub(crate) given_up: Results,
    pub(crate) fixtures: FixtureCoverage,
    /// Logs of the requests since [`Self::take_log`]; `None` for a request that did not complete.
    logs: Vec<Option<RunLog>>,
    /// Whether the engine has set-up of the whole suite.
    has_suite_set_up: bool,
    session: Session,
    /// The tests that have run in the present class loader.
    in_loader: Vec<TestId>,
    launch: &'a Launch,
    /// Is called after each test.
    test_finished: &'a (dyn Fn() + Sync),
}

/// A run of tests, perhaps with several requests.
pub(crate) struct SuiteRun {
    pub(crate) results: Results,
    /// `None` if it took more than one request, because a test hung or ended the JVM.
    pub(crate) log: Option<RunLog>,
}

/// The results of one request, and why it did not complete.
pub(super) struct RequestOutcome {
    pub(super) results: Results,
    pub(super) interruption: Option<Interruption>,
}

/// The reason why a request did not complete.
#[derive(Clone, Copy)]
pub(super) enum Interruption {
    /// This test did not end in time.
    TestHung(TestId),
    /// The JVM ended while this test was running.
    JvmEnded(TestId),
    /// No test was running.
    BetweenTests,
}

impl<'a> Suite<'a> {
    /// A suite of the tests that `session` has found.
    pub(crate) fn new(
        session: Session,
        launch: &'a Launch,
        found: &[FoundTest],
        engine: Engine,
        test_finished: &'a (dyn Fn() + Sync),
    ) -> Self {
        let mut suite = Self {
            tests: IdVec::new(),
            numbers: HashMap::new(),
            given_up: Results::new(),
            fixtures: FixtureCoverage::default(),
            logs: Vec::new(),
            has_suite_set_up: engine.runs_suites(),
            session,
            in_loader: Vec::new(),
            launch,
            test_finished,
        };
        found.iter().for_each(|test| suite.add(test));
        suite
    }

    fn add(&mut self, test: &FoundTest) {
        if let Entry::Vacant(entry) = self.numbers.entry(test.id.clone()) {
            entry.insert(self.tests.next_idx());
            self.tests.push(Test {
                id: test.id.clone(),
                name: test.name.clone(),
                class: test.class.clone(),
                recipe: RecipeId(0),
            });
        }
    }

    /// A suite of the same tests, which runs them in another JVM.
    pub(crate) fn in_second_jvm(&self) -> Self {
        Self {
            tests: self.tests.clone(),
            numbers: self.numbers.clone(),
            given_up: self.given_up.clone(),
            fixtures: FixtureCoverage::default(),
            logs: Vec::new(),
            has_suite_set_up: self.has_suite_set_up,
            session: Session::new(Arc::new(self.launch.clone())),
            in_loader: Vec::new(),
            launch: self.launch,
            test_finished: self.test_finished,
        }
    }

    /// Adds the fixture coverage of a run.
    pub(crate) fn add_fixtures(&mut self, log: &RunLog) {
        self.fixtures.add_log(&self.tests, log, self.has_suite_set_up);
    }

    /// The JVM, if other tests can run in it.
    pub(crate) fn into_session(self) -> Option<Session> {
        Some(self.session).filter(Session::is_alive)
    }

    /// Ends the JVM. The next run starts another one.
    pub(crate) fn end_jvm(&mut self) {
        self.session.end();
    }

    /// The log since the last call, if there was one request and it completed.
    pub(super) fn take_log(&mut self) -> Option<RunLog> {
        let mut logs = std::mem::take(&mut self.logs);
        // A run without tests needs no request.
        let last = logs.pop().unwrap_or_else(|| Some(RunLog::default()));
        last.filter(|_| logs.is_empty())
    }

    /// Runs tests with one request, and gives up the test that interrupts it, if any.
    pub(super) fn request(&mut self, tests: &[TestId], fresh: bool) -> Result<RequestOutcome> {
        let job = self.job(tests, fresh);
        let ran = self.session.run_telling(&job, &mut |_| (self.test_finished)())?;
        ran.unexpected.iter().for_each(|(_, test)| self.add(test));
        let interruption = interruption(&ran.end);
        let message = message(&ran);
        let Ran { finished, end, entered, .. } = ran;
        let is_complete = end == End::Complete;
        let log = RunLog {
            finished: finished.clone(),
            entered_after: if is_complete { entered.clone() } else { Vec::new() },
        };
        self.add_fixtures(&log);
        self.logs.push(is_complete.then_some(log));
        match &end {
            // The test that broke the request has failed; the other tests still run.
            End::Broken(_) if !finished.is_empty() => {}
            End::Broken(reason) => {
                return Err(Error::cannot_build(
                    format!("The tests could not be run: {reason}."),
                    "Check that `mvn test` works; if it does, please report this as a bug in reneri.",
                ));
            }
            End::Complete | End::Late(_) | End::Hung(_) | End::Died { .. } => {}
        }
        if let Some(Interruption::TestHung(test) | Interruption::JvmEnded(test)) = interruption {
            self.give_up(test, message, entered);
        }
        let results = finished.into_iter().map(|result| (result.number, result)).collect();
        Ok(RequestOutcome { results, interruption })
    }

    fn job(&mut self, tests: &[TestId], fresh: bool) -> Job {
        if fresh || !self.session.is_alive() {
            self.in_loader.clear();
        }
        let start = if fresh { Start::Clean } else { Start::After(self.run_tests(&self.in_loader)) };
        self.in_loader.extend(tests);
        Job {
            tests: self.run_tests(tests),
            transformation: None,
            start,
            stop_at_first_failure: false,
            record: Record::Coverage,
            next_number: self.tests.next_idx(),
            other_limit: Limit::of_time(LONGEST_TEST),
        }
    }

    fn run_tests(&self, tests: &[TestId]) -> Vec<RunTest> {
        let run_test = |test: &TestId| {
            let id = self.tests.get(*test)?.id.clone();
            Some(RunTest { number: *test, id, limit: Limit::of_time(LONGEST_TEST) })
        };
        tests.iter().filter_map(run_test).collect()
    }

    /// Quarantines the test with this message, and never runs it again.
    pub(super) fn give_up(&mut self, test: TestId, message: String, entered: Vec<MethodId>) {
        let failure = Finished {
            number: test,
            outcome: Outcome::Failed,
            of_class: false,
            nanoseconds: 0,
            cpu_nanoseconds: 0,
            classes: 0,
            exception: String::new(),
            message,
            torn_down: None,
            set_up: Vec::new(),
            entered,
            disturbs: false,
        };
        self.given_up.insert(test, failure);
    }
}

fn interruption(end: &End) -> Option<Interruption> {
    match end {
        End::Complete => None,
        End::Late(test) | End::Hung(Some(test)) => Some(Interruption::TestHung(*test)),
        End::Died { test: Some(test), .. } => Some(Interruption::JvmEnded(*test)),
        End::Hung(None) | End::Died { test: None, .. } | End::Broken(_) => Some(Interruption::BetweenTests),
    }
}

/// What the test did that interrupted a request, in words; empty if no test did.
fn message(ran: &Ran) -> String {
    match &ran.end {
        End::Late(_) | End::Hung(Some(_)) => {
            let limit = Limit::of_time(LONGEST_TEST);
            let (cpu, wall) = (limit.milliseconds / 1000, limit.wall().as_secs());
            format!("it does not end within {cpu} s of CPU time and {wall} s by the clock")
        }
        End::Died { test: Some(_), exit } => {
            let exit = exit.as_ref().map(|exit| format!(" ({exit})")).unwrap_or_default();
            format!("it ends the JVM{exit}")
        }
        End::Complete | End::Hung(None) | End::Died { test: None, .. } | End::Broken(_) => String::new(),
    }
}
