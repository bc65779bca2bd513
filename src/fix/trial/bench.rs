//! Runs trial tests on the original and on the transformed code, in JVMs of the pool.

use crate::base::error::{Error, Result};
use crate::base::id::{ExpressionId, GuardId, TestId};
use crate::base::interrupt;
use crate::fix::trial::run_result::RunResult;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{FoundTest, Limit, Record, RunTest, Sites, World};
use crate::observe::Site;
use crate::run::{Crew, Job, Pool, Rest, Session, Start, Task};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of JVMs in which each side runs.
pub const MACHINES: usize = 2;

/// The number of the first test of a run that discovery did not find. It is larger than all numbers of
/// tests, because the results of several runs are put together.
const FIRST_UNEXPECTED: TestId = TestId(u32::MAX / 2);

/// One JVM for trial tests, each of which has this limit.
pub struct Bench<'s> {
    session: &'s mut Session,
    limit: Limit,
    /// The milliseconds by which the clock of the tests is ahead.
    pub ahead: i64,
    /// Whether the runs note the messages of exceptions that the JDK makes.
    pub notes_messages: bool,
    /// The number of the seeds of the next run.
    seeds: u32,
}

/// The seeds of runs in this JVM that are not among the orders of [`Benches::run`].
fn first_seeds(slot: usize) -> u32 {
    (1 + u32::try_from(slot).unwrap_or(0)) << 16
}

impl Bench<'_> {
    /// Ends the JVM. The next run starts one with this launch.
    pub fn change_to(&mut self, launch: &Arc<Launch>) {
        self.session.end();
        self.session.switch_to(launch);
    }

    /// Ends the JVM.
    pub fn end(&mut self) {
        self.session.end();
    }

    /// The tests of these classes. A class that cannot be listed by itself (TestNG's factories make
    /// some) has no tests, and does not affect other classes.
    ///
    /// # Errors
    ///
    /// When the user interrupts.
    pub fn tests(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        match self.found(classes) {
            Err(error) if interrupt::ends_run(&error) => Err(error),
            Err(_) => {
                let mut found = Vec::new();
                for class in classes {
                    match self.found(std::slice::from_ref(class)) {
                        Ok(more) => found.extend(more),
                        Err(error) if interrupt::ends_run(&error) => return Err(error),
                        Err(_) => {}
                    }
                }
                Ok(found)
            }
            found => found,
        }
    }

    fn found(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        self.session.discover(classes, None, None)
    }

    /// Runs tests (number, engine's id) with a transformation, or on the original code, and
    /// records `expressions`. A test that does not end is left out.
    ///
    /// # Errors
    ///
    /// When a worker cannot be started, or the user interrupts.
    pub fn run(
        &mut self,
        active: Option<GuardId>,
        tests: &[(TestId, &str)],
        expressions: &[ExpressionId],
    ) -> Result<RunResult> {
        self.run_in(active, tests, expressions, Start::Clean)
    }

    /// The same for all tests of some classes, which run as complete classes.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    pub fn run_classes(&mut self, tests: &[(TestId, &str)]) -> Result<RunResult> {
        let job = Job { whole_classes: true, ..self.job(None, tests, &[], Start::Clean) };
        self.run_job(&job)
    }

    /// The same in the class loader in which these tests have just run.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    pub fn run_again(
        &mut self,
        active: Option<GuardId>,
        tests: &[(TestId, &str)],
        expressions: &[ExpressionId],
    ) -> Result<RunResult> {
        self.run_in(active, tests, expressions, Start::Again)
    }

    /// The same with this start.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    fn run_in(
        &mut self,
        active: Option<GuardId>,
        tests: &[(TestId, &str)],
        expressions: &[ExpressionId],
        start: Start,
    ) -> Result<RunResult> {
        let job = self.job(active, tests, expressions, start);
        self.run_job(&job)
    }

    fn run_job(&mut self, job: &Job) -> Result<RunResult> {
        self.seeds += 1;
        self.session.run_to_end(job, Rest::AllOthers, &mut |_| {}).map(RunResult::from)
    }

    fn job(
        &self,
        active: Option<GuardId>,
        tests: &[(TestId, &str)],
        expressions: &[ExpressionId],
        start: Start,
    ) -> Job {
        let sites =
            || Sites { recorded: expressions.iter().copied().map(Site::Expression).collect(), ..Sites::default() };
        Job {
            tests: self.requests(tests),
            transformation: active,
            record: if expressions.is_empty() { Record::Coverage } else { Record::State(sites()) },
            start,
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: FIRST_UNEXPECTED,
            other_limit: self.limit,
            world: World { ahead: self.ahead, seeds: Some(self.seeds), notes_messages: self.notes_messages },
        }
    }

    fn requests(&self, tests: &[(TestId, &str)]) -> Vec<RunTest> {
        let request =
            |(number, id): &(TestId, &str)| RunTest { number: *number, id: (*id).to_owned(), limit: self.limit };
        tests.iter().map(request).collect()
    }

    /// Runs one test after the other in this order, in one class loader.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    pub fn run_one_by_one(&mut self, tests: &[(TestId, &str)]) -> Result<RunResult> {
        let mut all = RunResult::default();
        for (index, test) in tests.iter().enumerate() {
            let start = if index == 0 { Start::Clean } else { Start::Again };
            all.add(self.run_in(None, std::slice::from_ref(test), &[], start)?);
        }
        Ok(all)
    }
}

/// The first two JVMs of the pool, for the same tests.
pub struct Benches<'p> {
    pool: &'p Pool,
    launch: Arc<Launch>,
    limit: Limit,
    /// Whether both may run tests at the same time.
    at_once: bool,
    /// The number of the seeds of the next order.
    seeds: AtomicU32,
}

/// A run that is wanted.
pub struct RunOrder<'t> {
    /// The JVM for the run. `None` means the one that is free first; if only one may run at a time,
    /// that is the first.
    pub bench: Option<usize>,
    /// `None` for the original code.
    pub active: Option<GuardId>,
    /// Numbers and engine's ids.
    pub tests: Vec<(TestId, &'t str)>,
    /// As [`Bench::ahead`].
    pub ahead: i64,
}

/// The numbers of both JVMs.
const BOTH: [usize; MACHINES] = [0, 1];

impl<'p> Benches<'p> {
    #[must_use]
    pub fn new(pool: &'p Pool, launch: Arc<Launch>, limit: Limit, at_once: bool) -> Self {
        Self { pool, launch, limit, at_once, seeds: AtomicU32::new(0) }
    }

    /// The tests of these classes. If both JVMs may run, the second one is asked as well, so that
    /// it loads in the meantime what it needs to run them.
    ///
    /// # Errors
    ///
    /// As [`Bench::tests`].
    pub fn tests(&self, classes: &[String]) -> Result<Vec<FoundTest>> {
        if !self.at_once {
            return self.run_in(0, |bench| bench.tests(classes));
        }
        let (found, _) = self.run_in_each(|bench| bench.tests(classes), |bench| bench.tests(classes))?;
        Ok(found)
    }

    /// The JVM for the run with this number: each in turn if both may run, otherwise the first.
    #[must_use]
    pub fn turn(&self, number: usize) -> usize {
        if self.at_once { number % MACHINES } else { 0 }
    }

    /// Ends the first JVM if only one may run at a time.
    pub fn change_over(&self) {
        if !self.at_once {
            self.pool.end(0);
        }
    }

    /// Uses one of the JVMs.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub fn run_in<R>(&self, number: usize, work: impl FnOnce(&mut Bench<'_>) -> Result<R>) -> Result<R> {
        let limit = self.limit;
        self.pool.run_in(number, &self.launch, |session| {
            work(&mut Bench { session, limit, ahead: 0, notes_messages: false, seeds: first_seeds(number) })
        })
    }

    /// Uses a third JVM, with this launch, and ends it.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub fn run_with<R>(&self, launch: &Arc<Launch>, work: impl FnOnce(&mut Bench<'_>) -> Result<R>) -> Result<R> {
        let limit = self.limit;
        let result = self.pool.run_in(MACHINES, launch, |session| {
            work(&mut Bench { session, limit, ahead: 0, notes_messages: false, seeds: first_seeds(MACHINES) })
        });
        self.pool.end(MACHINES);
        result
    }

    /// Uses each JVM for something else, at the same time or one after the other.
    ///
    /// # Errors
    ///
    /// The error of the first, otherwise that of the second.
    pub fn run_in_each<A: Send, B: Send>(
        &self,
        first: impl Fn(&mut Bench<'_>) -> Result<A> + Sync,
        second: impl Fn(&mut Bench<'_>) -> Result<B> + Sync,
    ) -> Result<(A, B)> {
        let tasks = BOTH.map(|slot| Task { slot: Some(slot), work: () });
        let parts = self.pool.run(self.crew(), &tasks, |session, slot, ()| {
            let bench =
                &mut Bench { session, limit: self.limit, ahead: 0, notes_messages: false, seeds: first_seeds(slot) };
            Ok(if slot == 0 { (Some(first(bench)?), None) } else { (None, Some(second(bench)?)) })
        })?;
        let (firsts, seconds): (Vec<Option<A>>, Vec<Option<B>>) = parts.into_iter().unzip();
        let both = firsts.into_iter().flatten().next().zip(seconds.into_iter().flatten().next());
        both.ok_or_else(|| Error::bug("A JVM did not run its part."))
    }

    fn crew(&self) -> Crew<'_> {
        Crew { launch: &self.launch, slots: &BOTH, at_once: self.at_once, priority: 0 }
    }

    /// Makes all of these runs from clean starts and records `expressions`. Runs in one JVM keep
    /// this order. Returns the JVM and the result of each run.
    ///
    /// A test that did not end on the original code so far does not run with a transformation.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    pub fn run(&self, orders: &[RunOrder<'_>], expressions: &[ExpressionId]) -> Result<Vec<(usize, RunResult)>> {
        let stuck: Mutex<BTreeSet<TestId>> = Mutex::default();
        // No two runs draw the same numbers.
        let count = u32::try_from(orders.len()).unwrap_or(0);
        let first = self.seeds.fetch_add(count, Ordering::Relaxed);
        let tasks: Vec<Task<(&RunOrder<'_>, u32)>> =
            orders.iter().zip(first..).map(|(order, seeds)| Task { slot: order.bench, work: (order, seeds) }).collect();
        self.pool.run(self.crew(), &tasks, |session, slot, (order, seeds)| {
            let mut tests = order.tests.clone();
            if order.active.is_some() {
                tests.retain(|(test, _)| !stuck.lock().contains(test));
            }
            let mut bench =
                Bench { session, limit: self.limit, ahead: order.ahead, notes_messages: false, seeds: *seeds };
            let result = bench.run(order.active, &tests, expressions)?;
            if order.active.is_none() {
                stuck.lock().extend(&result.stuck);
            }
            Ok((slot, result))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::TransformationId;
    use crate::jvm::protocol::Outcome;
    use crate::run::fake::{Act, FakeJvms, Fault, disturb_everywhere};

    const TESTS: [(TestId, &str); 3] = [(TestId(0), "a"), (TestId(1), "b"), (TestId(2), "c")];

    /// With the transformation, `a` fails; `b` never ends.
    fn project(transformation: Option<GuardId>, test: &str, _: bool) -> Act {
        match (transformation.map_or(0, GuardId::number), test) {
            (1, "a") => Act::Fail,
            (_, "b") => Act::Hangs,
            _ => Act::Pass,
        }
    }

    type Outcomes = Vec<(Vec<(u32, Outcome)>, BTreeSet<u32>)>;

    fn tried(jvms: &FakeJvms) -> Result<Outcomes> {
        let launch = Arc::new(jvms.launch());
        let pool = Pool::new(1);
        let benches = Benches::new(&pool, launch, Limit::of_time(1), false);
        let order = |active: Option<GuardId>| RunOrder { bench: Some(0), active, tests: TESTS.to_vec(), ahead: 0 };
        let guard = GuardId::of(TransformationId(0));
        let tried = benches.run(&[order(None), order(Some(guard))], &[])?;
        let outcomes = |tried: RunResult| {
            let finished = tried.finished.iter().map(|finished| (finished.number.0, finished.outcome));
            (finished.collect(), tried.stuck.iter().map(|test| test.0).collect())
        };
        Ok(tried.into_iter().map(|(_, tried)| outcomes(tried)).collect())
    }

    #[test]
    fn a_test_that_never_ends_is_left_out_on_both_sides() {
        let tried = tried(&FakeJvms::new(project, &[])).unwrap();
        let original = (vec![(0, Outcome::Passed), (2, Outcome::Passed)], BTreeSet::from([1]));
        let transformed = (vec![(0, Outcome::Failed), (2, Outcome::Passed)], BTreeSet::new());
        assert_eq!(tried, [original, transformed]);
    }

    #[test]
    fn a_killed_or_stopped_jvm_changes_no_proof_wherever_it_happens() {
        disturb_everywhere(&project, &[Fault::Kill, Fault::Stop], tried);
    }
}
