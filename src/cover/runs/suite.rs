//! The tests of a recipe, and the session that runs them.

use crate::base::error::{Error, Result};
use crate::base::id::{IdVec, RecipeId, TestId};
use crate::cover::coverage::Test;
use crate::cover::fixture_coverage::FixtureCoverage;
use crate::cover::run_log::{Results, RunLog};
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Outcome, Record, RunTest};
use crate::recipe::Engine;
use crate::run::{Cause, Completion, Job, Reported, Rest, Session, Start, Stuck};
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
    /// Whether the engine has set-up of the whole suite.
    has_suite_set_up: bool,
    session: Session,
    launch: &'a Launch,
    /// Is called after each test.
    test_finished: &'a (dyn Fn() + Sync),
}

/// A run of tests, perhaps in several parts.
pub(crate) struct SuiteRun {
    pub(crate) results: Results,
    /// `None` if it took more than one part, because a test hung or ended the JVM.
    pub(crate) log: Option<RunLog>,
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
            has_suite_set_up: engine.runs_suites(),
            session,
            launch,
            test_finished,
        };
        found.iter().for_each(|test| suite.add_test(test));
        suite
    }

    fn add_test(&mut self, test: &FoundTest) {
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
            has_suite_set_up: self.has_suite_set_up,
            session: Session::new(Arc::new(self.launch.clone())),
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

    /// Runs tests, by their numbers. The results include tests that were found only while running.
    pub(crate) fn run(&mut self, tests: &[TestId], fresh: bool) -> Result<SuiteRun> {
        let job = self.job(tests, fresh);
        let class_of = |test: TestId| self.tests.get(test).map(|test| &test.class);
        let is_same_class = |one: TestId, other: TestId| class_of(one) == class_of(other);
        let rest = Rest::Unfinished(&is_same_class);
        let completion = self.session.run_to_end(&job, rest, &mut |_| (self.test_finished)())?;
        self.add(completion)
    }

    /// The run of those tests that are not given up.
    fn job(&self, tests: &[TestId], fresh: bool) -> Job {
        let limit = Limit::of_time(LONGEST_TEST);
        let run_test = |test: &TestId| {
            let id = self.tests.get(*test)?.id.clone();
            Some(RunTest { number: *test, id, limit })
        };
        let wanted = tests.iter().filter(|test| !self.given_up.contains_key(test));
        Job {
            tests: wanted.filter_map(run_test).collect(),
            transformation: None,
            start: if fresh { Start::Clean } else { Start::Again },
            stop_at_first_failure: false,
            record: Record::Coverage,
            next_number: self.tests.next_idx(),
            other_limit: limit,
        }
    }

    /// Adds what a run shows about the tests. Those that are stuck are given up.
    fn add(&mut self, completion: Completion) -> Result<SuiteRun> {
        let Completion { runs, stuck, broken } = completion;
        if let Some(reason) = broken {
            return Err(Error::cannot_build(
                format!("The tests could not be run: {reason}."),
                "Check that `mvn test` works; if it does, please report this as a bug in reneri.",
            ));
        }
        let mut results = Results::new();
        // A run without tests needs no part.
        let mut log = Some(RunLog::default());
        let is_single = runs.len() <= 1;
        for run in runs {
            let is_complete = run.is_complete();
            let Reported { finished, unexpected, entered, .. } = run.reported;
            unexpected.iter().for_each(|(_, test)| self.add_test(test));
            results.extend(finished.iter().map(|result| (result.number, result.clone())));
            let of_run = RunLog { finished, entered_after: if is_complete { entered } else { Vec::new() } };
            self.add_fixtures(&of_run);
            log = Some(of_run).filter(|_| is_complete && is_single);
        }
        for (test, stuck) in stuck {
            self.given_up.insert(test, failure(test, stuck));
        }
        results.extend(self.given_up.iter().map(|(test, result)| (*test, result.clone())));
        Ok(SuiteRun { results, log })
    }
}

/// The result of a test that is quarantined, and never runs again.
fn failure(test: TestId, stuck: Stuck) -> Finished {
    Finished {
        number: test,
        outcome: Outcome::Failed,
        of_class: false,
        nanoseconds: 0,
        cpu_nanoseconds: 0,
        classes: 0,
        exception: String::new(),
        message: message(&stuck.cause),
        torn_down: None,
        set_up: Vec::new(),
        entered: stuck.entered,
        disturbs: false,
    }
}

fn message(cause: &Cause) -> String {
    match cause {
        Cause::Endless => {
            let limit = Limit::of_time(LONGEST_TEST);
            let (cpu, wall) = (limit.milliseconds / 1000, limit.wall().as_secs());
            format!("it does not end within {cpu} s of CPU time and {wall} s by the clock")
        }
        Cause::EndsJvm(Some(exit)) => format!("it ends the JVM ({exit})"),
        Cause::EndsJvm(None) => "it ends the JVM".to_owned(),
        Cause::NotStarted => "the JVM ends, or hangs, before it starts".to_owned(),
    }
}
