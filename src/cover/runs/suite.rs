//! Runs the tests of a recipe in one JVM, or in two at the same time, and collects what their runs show.

use crate::base::error::{Error, Result};
use crate::base::id::{IdVec, RecipeId, TestId};
use crate::base::interrupt;
use crate::cover::coverage::Test;
use crate::cover::fixture_coverage::FixtureCoverage;
use crate::cover::run_log::{Results, RunLog};
use crate::cover::task::Task as CoverTask;
use crate::jvm::client::Launch;
use crate::jvm::process::Patience;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Outcome, Record, RunTest, World};
use crate::run::{Cause, Completion, Crew, Job, Pool, Ran, Reported, Rest, Session, Start, Stuck, Task};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// CPU time that a test on the original code may use, in milliseconds. A test that uses more is quarantined.
const LONGEST_TEST: u64 = 120_000;

/// The number of JVMs that run tests.
pub(crate) const JVMS: usize = 2;
/// The JVM that runs the tests; the second one runs the same tests beside it.
const FIRST: usize = 0;
const SECOND: usize = 1;

/// The tests of a recipe, and all that their runs show so far.
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
    pool: &'a Pool,
    launch: &'a Arc<Launch>,
    /// Is called after each test.
    test_finished: &'a (dyn Fn() + Sync),
    /// The number of the seeds of the next run: each run draws other random numbers, and the next analysis draws the same.
    worlds: u32,
}

/// A run in each of two JVMs.
pub(super) struct ParallelRuns {
    pub(super) own: SuiteRun,
    pub(super) second: SuiteRun,
    pub(super) found_same_tests: bool,
}

/// A run of tests, perhaps in several parts.
pub(crate) struct SuiteRun {
    pub(crate) results: Results,
    /// `None` if it took more than one part, because a test hung or ended the JVM.
    pub(crate) log: Option<RunLog>,
}

impl<'a> Suite<'a> {
    /// A suite of the tests that were found.
    pub(crate) fn new(task: &CoverTask<'a>, found: &[FoundTest]) -> Self {
        let mut suite = Self {
            tests: IdVec::new(),
            numbers: HashMap::new(),
            given_up: Results::new(),
            fixtures: FixtureCoverage::default(),
            has_suite_set_up: task.recipe.engine.runs_suites(),
            pool: task.pool,
            launch: task.launch,
            test_finished: task.progress.test_finished,
            worlds: 0,
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

    /// Adds the fixture coverage of a run.
    pub(crate) fn add_fixtures(&mut self, log: &RunLog) {
        self.fixtures.add_log(&self.tests, log, self.has_suite_set_up);
    }

    /// Ends the second JVM. The next run there starts another one.
    pub(super) fn end_second_jvm(&self) {
        self.pool.end(SECOND);
    }

    /// Runs tests, by their numbers. The results include tests that were found only while running.
    pub(crate) fn run(&mut self, tests: &[TestId], fresh: bool) -> Result<SuiteRun> {
        let job = self.job(tests, fresh);
        let completion = self.pool.run_in(FIRST, self.launch, |session| self.complete(session, &job))?;
        self.add(completion)
    }

    /// Runs the same tests in both JVMs at the same time, in the second one from a clean start. Neither run gives up a
    /// test, because the other JVM may have disturbed it.
    pub(super) fn run_in_both(&mut self, tests: &[TestId], fresh: bool) -> Result<ParallelRuns> {
        let jobs = [self.job(tests, fresh), self.job(tests, true)];
        let tasks = [FIRST, SECOND].map(|slot| Task { slot: Some(slot), work: &jobs[slot] });
        let crew = Crew { launch: self.launch, slots: &[FIRST, SECOND], at_once: true, priority: 0 };
        let completions = self.pool.run(crew, &tasks, |session, slot, job| match self.complete(session, job) {
            // Only a run without another JVM beside it shows whether the tests can run at all.
            Err(error) if slot == SECOND && !interrupt::ends_run(&error) => Ok(None),
            completion => completion.map(Some),
        })?;
        let [Some(first), second] = <[Option<Completion>; JVMS]>::try_from(completions).unwrap_or_default() else {
            return Err(Error::bug("A JVM did not run the tests."));
        };
        let new_in_second = second.as_ref().map_or(0, |second| self.new_tests(second));
        let second = second.and_then(|second| self.read(second).ok());
        let (count, given_up) = (self.tests.len(), self.given_up.clone());
        let own = self.add(first)?;
        self.given_up = given_up;
        Ok(ParallelRuns {
            own,
            second: second.unwrap_or(SuiteRun { results: Results::new(), log: None }),
            found_same_tests: self.tests.len() - count == new_in_second,
        })
    }

    fn complete(&self, session: &mut Session, job: &Job) -> Result<Completion> {
        let class_of = |test: TestId| self.tests.get(test).map(|test| &test.class);
        let is_same_class = |one: TestId, other: TestId| class_of(one) == class_of(other);
        session.run_to_end(job, Rest::Unfinished(&is_same_class), &mut |_| (self.test_finished)())
    }

    /// The run of those tests that are not given up.
    fn job(&mut self, tests: &[TestId], fresh: bool) -> Job {
        let world = World { seeds: Some(self.worlds), ..World::default() };
        self.worlds += 1;
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
            whole_classes: false,
            stop_at_first_failure: false,
            record: Record::Coverage,
            next_number: self.tests.next_idx(),
            other_limit: limit,
            world,
        }
    }

    /// The number of tests that no earlier run has found.
    fn new_tests(&self, completion: &Completion) -> usize {
        let unexpected = completion.runs.iter().flat_map(|run| &run.reported.unexpected);
        unexpected.filter(|(_, test)| !self.numbers.contains_key(&test.id)).count()
    }

    /// Adds what a run shows about the tests. Those that are stuck are given up.
    fn add(&mut self, completion: Completion) -> Result<SuiteRun> {
        let stuck = completion.stuck.iter().map(|(test, stuck)| (*test, failure(*test, stuck)));
        self.given_up.extend(stuck);
        for run in &completion.runs {
            run.reported.unexpected.iter().for_each(|(_, test)| self.add_test(test));
            self.add_fixtures(&log(run));
        }
        self.read(completion)
    }

    /// The results of a run.
    fn read(&self, completion: Completion) -> Result<SuiteRun> {
        let Completion { runs, stuck, broken } = completion;
        if let Some(reason) = broken {
            return Err(Error::cannot_build(
                format!("The tests could not be run: {reason}."),
                "Check that `mvn test` works; if it does, please report this as a bug in reneri.",
            ));
        }
        let mut results = Results::new();
        for run in &runs {
            results.extend(run.reported.finished.iter().map(|result| (result.number, result.clone())));
        }
        results.extend(self.given_up.iter().map(|(test, result)| (*test, result.clone())));
        results.extend(stuck.iter().map(|(test, stuck)| (*test, failure(*test, stuck))));
        let log = match runs.as_slice() {
            // Without tests there is nothing to run.
            [] => Some(RunLog::default()),
            [run] if run.is_complete() => Some(log(run)),
            _ => None,
        };
        Ok(SuiteRun { results, log })
    }
}

fn log(run: &Ran) -> RunLog {
    let Reported { finished, entered, .. } = &run.reported;
    let entered_after = if run.is_complete() { entered.clone() } else { Vec::new() };
    RunLog { finished: finished.clone(), entered_after }
}

/// The result of a test that is quarantined, and never runs again.
fn failure(test: TestId, stuck: &Stuck) -> Finished {
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
        entered: stuck.entered.clone(),
        disturbs: false,
    }
}

fn message(cause: &Cause) -> String {
    match cause {
        Cause::Endless => {
            let limit = Limit::of_time(LONGEST_TEST);
            let (cpu, wall) = (limit.milliseconds / 1000, limit.wall().as_secs());
            let idle = Patience::default().idle_again.as_secs();
            format!(
                "it does not end within {cpu} s of CPU time and {wall} s by the clock, or waits for {idle} s without working"
            )
        }
        Cause::EndsJvm(Some(exit)) => format!("it ends the JVM ({exit})"),
        Cause::EndsJvm(None) => "it ends the JVM".to_owned(),
        Cause::NotStarted => "the JVM ends, or hangs, before it starts".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::GuardId;
    use crate::cover::task::Progress;
    use crate::recipe::Recipe;
    use crate::run::fake::{Act, FakeJvms, Fault, disturb_everywhere};

    /// `b` of `ATest` hangs, and `d` ends the JVM. So does the set-up of `BTest`. `e` ends it unless it runs first, as
    /// if a thread of an earlier test did that.
    fn project(_: Option<GuardId>, test: &str, is_first: bool) -> Act {
        match test {
            "ATest.b" => Act::Hangs,
            "ATest.d" => Act::Exit(3),
            "ATest.e" if !is_first => Act::Exit(3),
            "BTest.a" | "BTest.b" => Act::SetUpExits(4),
            "CTest.a" => Act::Fail,
            _ => Act::Pass,
        }
    }

    const NAMES: [&str; 9] =
        ["ATest.a", "ATest.b", "ATest.c", "ATest.d", "ATest.e", "BTest.a", "BTest.b", "CTest.a", "CTest.b"];

    fn passing(_: Option<GuardId>, test: &str, _: bool) -> Act {
        if test == "CTest.a" { Act::Fail } else { Act::Pass }
    }

    /// The outcome of each test, with the message of those that failed, and whether there is a log.
    type Outcomes = (Vec<(u32, Outcome, String)>, bool);

    fn outcomes(run: &SuiteRun) -> Outcomes {
        let of_test = |result: &Finished| (result.number.0, result.outcome, result.message.clone());
        (run.results.values().map(of_test).collect(), run.log.is_some())
    }

    /// Calls `scenario` with a suite of all tests, and their numbers.
    fn with_suite<T>(jvms: &FakeJvms, scenario: impl FnOnce(&mut Suite<'_>, &[TestId]) -> T) -> T {
        let (pool, launch) = (Pool::new(JVMS), Arc::new(jvms.launch()));
        let task = CoverTask {
            pool: &pool,
            recipe: &Recipe::of_tests(std::path::Path::new("/p")),
            launch: &launch,
            classes: &[],
            methods: 0,
            earlier: None,
            jobs: JVMS,
            progress: Progress { log: &|_| {}, test_finished: &|| {}, expect_tests: &|_| {} },
        };
        let class = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let found = NAMES.map(|name| FoundTest { id: name.into(), name: name.into(), class: class(name) });
        let tests: Vec<TestId> = (0..found.len()).map(TestId::new).collect();
        scenario(&mut Suite::new(&task, &found), &tests)
    }

    #[test]
    fn all_tests_run_behind_those_that_hang_or_end_the_jvm() {
        let jvms = FakeJvms::new(project, &[]);
        let run = with_suite(&jvms, |suite, tests| suite.run(tests, true)).unwrap();
        let (outcomes, has_log) = outcomes(&run);
        let messages: Vec<&str> = outcomes.iter().map(|(.., message)| message.as_str()).collect();
        let passed: Vec<u32> =
            outcomes.iter().filter(|(_, outcome, _)| *outcome == Outcome::Passed).map(|(test, ..)| *test).collect();
        let not_started = "the JVM ends, or hangs, before it starts";
        assert_eq!(passed, [0, 2, 4, 8]);
        assert_eq!(
            messages,
            [
                "",
                "it does not end within 120 s of CPU time and 363 s by the clock, or waits for 30 s without working",
                "",
                "it ends the JVM (System.exit or Runtime.halt, status 3)",
                "",
                not_started,
                not_started,
                "",
                ""
            ]
        );
        assert!(!has_log, "a run in several parts has no log");
    }

    #[test]
    fn a_test_that_is_given_up_never_runs_again() {
        let jvms = FakeJvms::new(project, &[]);
        let [first, again] = with_suite(&jvms, |suite, tests| {
            let first = suite.run(tests, true).unwrap();
            let count = jvms.runs().len();
            let again = suite.run(&tests[..3], false).unwrap();
            assert_eq!(jvms.runs().len(), count + 1);
            [first, again]
        });
        assert_eq!(again.log.map(|log| log.finished.len()), Some(2));
        assert_eq!(outcomes(&first).0[1], (1, Outcome::Failed, again.results[&TestId(1)].message.clone()));
    }

    #[test]
    fn a_run_beside_another_jvm_gives_up_no_test() {
        let jvms = FakeJvms::new(project, &[]);
        with_suite(&jvms, |suite, tests| {
            let runs = suite.run_in_both(tests, true).unwrap();
            assert_eq!(outcomes(&runs.own), outcomes(&runs.second));
            assert_eq!(runs.own.results[&TestId(1)].outcome, Outcome::Failed);
            assert!(suite.given_up.is_empty() && runs.found_same_tests);
        });
    }

    #[test]
    fn no_fault_of_the_machine_becomes_a_result_wherever_it_happens() {
        disturb_everywhere(&project, &Fault::ALL, |jvms| {
            with_suite(jvms, |suite, tests| Ok(outcomes(&suite.run(tests, true)?)))
        });
    }

    #[test]
    fn no_fault_of_the_machine_becomes_a_result_in_any_of_three_runs() {
        disturb_everywhere(&passing, &[Fault::Kill, Fault::StopHalf], |jvms| {
            with_suite(jvms, |suite, tests| {
                let first = suite.run(tests, true)?;
                let ParallelRuns { own, second, found_same_tests } = suite.run_in_both(tests, false)?;
                let again = suite.run(tests, false)?;
                Ok(([first, own, second, again].each_ref().map(outcomes), found_same_tests))
            })
        });
    }
}
