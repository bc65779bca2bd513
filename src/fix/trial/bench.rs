//! Benches: JVMs that run trial tests, on the original and on the transformed code.

use crate::base::error::{Error, Result};
use crate::base::id::{ExpressionId, GuardId, TestId};
use crate::fix::trial::run_result::RunResult;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{FoundTest, Limit, Record, RunTest, Sites};
use crate::observe::Site;
use crate::run::{Job, Rest, Session, Start};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of JVMs in which each side runs.
pub const MACHINES: usize = 2;

/// One JVM for trial tests.
pub struct Bench {
    session: Session,
    limit: Limit,
}

impl Bench {
    /// A bench for tests with this launch, each of which has this limit. `spare` is a session that
    /// has run other tests of the same project.
    #[must_use]
    pub fn new(launch: &Arc<Launch>, limit: Limit, spare: Option<Session>) -> Self {
        let mut session = spare.unwrap_or_else(|| Session::new(Arc::clone(launch)));
        session.switch_to(launch);
        Self { session, limit }
    }

    /// The session, if its JVM is alive.
    #[must_use]
    pub fn into_spare(self) -> Option<Session> {
        Some(self.session).filter(Session::is_alive)
    }

    /// The tests of these classes. A class that cannot be listed by itself (TestNG's factories make
    /// some) has no tests, and does not affect other classes.
    ///
    /// # Errors
    ///
    /// When the user interrupts.
    pub fn tests(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        match self.found(classes) {
            Err(error) if error.ends_run() => Err(error),
            Err(_) => {
                let mut found = Vec::new();
                for class in classes {
                    match self.found(std::slice::from_ref(class)) {
                        Ok(more) => found.extend(more),
                        Err(error) if error.ends_run() => return Err(error),
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
        let sites =
            || Sites { recorded: expressions.iter().copied().map(Site::Expression).collect(), ..Sites::default() };
        let job = Job {
            tests: self.requests(tests),
            transformation: active,
            record: if expressions.is_empty() { Record::Coverage } else { Record::State(sites()) },
            start,
            stop_at_first_failure: false,
            next_number: TestId(u32::MAX / 2),
            other_limit: self.limit,
        };
        self.session.run_to_end(&job, Rest::AllOthers, &mut |_| {}).map(RunResult::from)
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

/// Two JVMs for the same tests.
pub struct Benches {
    pub both: [Bench; MACHINES],
    /// Whether both may run tests at the same time.
    pub at_once: bool,
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
}

impl Benches {
    /// The tests of these classes. If both JVMs may run, the second one is asked as well, so that
    /// it loads in the meantime what it needs to run them.
    ///
    /// # Errors
    ///
    /// As [`Bench::tests`].
    pub fn tests(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        let [first, second] = &mut self.both;
        if !self.at_once {
            return first.tests(classes);
        }
        let (found, _) = run_pair(true, || first.tests(classes), || second.tests(classes))?;
        Ok(found)
    }

    /// The JVM for the run with this number: each in turn if both may run, otherwise the first.
    #[must_use]
    pub fn turn(&self, number: usize) -> usize {
        if self.at_once { number % MACHINES } else { 0 }
    }

    /// Ends the first JVM if only one may run at a time.
    pub fn change_over(&mut self) {
        if let ([first, _], false) = (&mut self.both, self.at_once) {
            first.session.end();
        }
    }

    /// Makes all of these runs from clean starts and records `expressions`. Runs in one JVM keep
    /// this order. Returns the JVM and the result of each run.
    ///
    /// A test that did not end on the original code so far does not run with a transformation.
    ///
    /// # Errors
    ///
    /// As [`Bench::run`].
    pub fn run(&mut self, orders: &[RunOrder<'_>], expressions: &[ExpressionId]) -> Result<Vec<(usize, RunResult)>> {
        let taken: Vec<AtomicBool> = orders.iter().map(|_| AtomicBool::new(false)).collect();
        let stuck: Mutex<BTreeSet<TestId>> = Mutex::default();
        let of = |number: usize, bench: &mut Bench| -> Result<Vec<(usize, (usize, RunResult))>> {
            let mut made = Vec::new();
            for ((at, order), taken) in orders.iter().enumerate().zip(&taken) {
                if order.bench.is_some_and(|bench| bench != number) || taken.swap(true, Ordering::Relaxed) {
                    continue;
                }
                let mut tests = order.tests.clone();
                if order.active.is_some() {
                    tests.retain(|(test, _)| !stuck.lock().contains(test));
                }
                let tried = bench.run(order.active, &tests, expressions)?;
                if order.active.is_none() {
                    stuck.lock().extend(&tried.stuck);
                }
                made.push((at, (number, tried)));
            }
            Ok(made)
        };
        let [first, second] = &mut self.both;
        let (mut made, more) = run_pair(self.at_once, || of(0, first), || of(1, second))?;
        made.extend(more);
        made.sort_by_key(|(at, _)| *at);
        Ok(made.into_iter().map(|(_, one)| one).collect())
    }
}

/// The results of both, computed at the same time or one after the other.
///
/// # Errors
///
/// The error of the first, otherwise that of the second.
pub fn run_pair<A: Send, B: Send>(
    at_once: bool,
    one: impl FnOnce() -> Result<A>,
    other: impl FnOnce() -> Result<B> + Send,
) -> Result<(A, B)> {
    if !at_once {
        return Ok((one()?, other()?));
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        let panicked = |_| Err(Error::bug("A thread that tries tests panicked."));
        let other = other.join().unwrap_or_else(panicked);
        Ok((one?, other?))
    })
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
        let both = [(); MACHINES].map(|()| Bench::new(&launch, Limit::of_time(1), None));
        let mut benches = Benches { both, at_once: false };
        let order = |active: Option<GuardId>| RunOrder { bench: Some(0), active, tests: TESTS.to_vec() };
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
