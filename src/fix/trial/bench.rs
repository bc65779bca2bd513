//! From tests that are tried to what came of them: run in workers, on the original and on the transformed code.

use crate::base::error::{Error, Result};
use crate::base::id::{ExpressionId, GuardId};
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Outcome, Record, RunTest, Sites};
use crate::observe::{Recording, Site};
use crate::run::{End, Job, Session, Start};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Each side runs in so many JVMs.
pub const MACHINES: usize = 2;
/// How often tests are run again without one that did not come to its end.
const STUCK: usize = 4;

/// One worker for tests that are tried.
pub struct Bench {
    session: Session,
    limit: Limit,
}

/// What a run of tests came to, by their numbers.
#[derive(Debug, Default)]
pub struct Tried {
    pub finished: Vec<Finished>,
    pub recording: Recording,
    /// Did not come to their end.
    pub stuck: BTreeSet<u32>,
    /// Methods that were entered in runs that were given up.
    pub entered_otherwise: BTreeSet<u32>,
    /// Of some run it is not known what was entered.
    pub is_lost: bool,
}

impl Tried {
    /// The test's own outcome, if it came to an end.
    #[must_use]
    pub fn of(&self, number: u32) -> Option<&Finished> {
        self.finished.iter().rev().find(|finished| finished.number == number && !finished.of_class)
    }

    #[must_use]
    pub fn passed(&self, number: u32) -> bool {
        self.of(number).is_some_and(|finished| finished.outcome == Outcome::Passed)
    }

    /// Adds what a run of other tests came to.
    pub fn add(&mut self, other: Self) {
        let Self { finished, recording, stuck, entered_otherwise, is_lost } = other;
        self.finished.extend(finished);
        self.recording.add(recording);
        self.stuck.extend(stuck);
        self.entered_otherwise.extend(entered_otherwise);
        self.is_lost |= is_lost;
    }
}

impl Bench {
    /// A test may take so long. `spare` has run other tests of the same project.
    #[must_use]
    pub fn new(launch: &Arc<Launch>, limit: Limit, spare: Option<Session>) -> Self {
        let mut session = spare.unwrap_or_else(|| Session::new(Arc::clone(launch)));
        session.switch_to(launch);
        Self { session, limit }
    }

    /// Its JVM, if one lives.
    #[must_use]
    pub fn into_spare(self) -> Option<Session> {
        Some(self.session).filter(Session::is_alive)
    }

    /// The tests of these classes. A class that cannot be listed by itself (TestNG's factories make some) has none, and takes no other with it.
    ///
    /// # Errors
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

    /// Runs tests (number, engine's id) with a transformation or on the original code, and records `expressions`. A test that does not come to its end is
    /// left out.
    ///
    /// # Errors
    /// When a worker cannot be started, or the user interrupts.
    pub fn run(
        &mut self,
        active: Option<GuardId>,
        tests: &[(u32, &str)],
        expressions: &[ExpressionId],
    ) -> Result<Tried> {
        self.run_in(active, tests, expressions, Start::Clean)
    }

    /// The same in the class loader in which these tests have just run.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run_again(
        &mut self,
        active: Option<GuardId>,
        tests: &[(u32, &str)],
        expressions: &[ExpressionId],
    ) -> Result<Tried> {
        let start = Start::After(self.requests(tests));
        self.run_in(active, tests, expressions, start)
    }

    /// The same in this class loader.
    ///
    /// # Errors
    /// As [`Bench::run`].
    fn run_in(
        &mut self,
        active: Option<GuardId>,
        tests: &[(u32, &str)],
        expressions: &[ExpressionId],
        start: Start,
    ) -> Result<Tried> {
        let mut left: Vec<(u32, &str)> = tests.to_vec();
        let mut stuck = BTreeSet::new();
        let mut entered_otherwise = BTreeSet::new();
        let mut is_lost = false;
        for _ in 0..STUCK {
            if left.is_empty() {
                break;
            }
            let ran = self.session.run(&Job {
                tests: self.requests(&left),
                transformation: active,
                record: if expressions.is_empty() {
                    Record::Coverage
                } else {
                    Record::State(Sites {
                        recorded: expressions.iter().copied().map(Site::Expression).collect(),
                        ..Sites::default()
                    })
                },
                start: start.clone(),
                stop_at_first_failure: false,
                next_number: u32::MAX / 2,
                other_limit: self.limit,
            })?;
            if ran.end == End::Complete {
                entered_otherwise.extend(ran.entered);
                let (finished, recording) = (ran.finished, ran.recording.unwrap_or_default());
                return Ok(Tried { finished, recording, stuck, entered_otherwise, is_lost });
            }
            self.session.end();
            // A late test says what it has entered; of one that hangs, or ends the JVM, that is not known.
            is_lost |= !matches!(ran.end, End::Late(_));
            let finished =
                ran.finished.iter().flat_map(|finished| finished.between().chain(finished.entered.iter().copied()));
            entered_otherwise.extend(finished.chain(ran.entered.iter().copied()));
            match ran.end {
                End::Late(number) | End::Hung(Some(number)) | End::Died { test: Some(number), .. } => {
                    stuck.insert(number);
                    left.retain(|(other, _)| *other != number);
                }
                End::Complete | End::Hung(None) | End::Died { test: None, .. } | End::Broken(_) => break,
            }
        }
        stuck.extend(left.iter().map(|(number, _)| *number));
        Ok(Tried { stuck, entered_otherwise, is_lost, ..Tried::default() })
    }

    fn requests(&self, tests: &[(u32, &str)]) -> Vec<RunTest> {
        let request = |(number, id): &(u32, &str)| RunTest { number: *number, id: (*id).to_owned(), limit: self.limit };
        tests.iter().map(request).collect()
    }

    /// One test after the other, in the order given, in one class loader.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run_one_by_one(&mut self, tests: &[(u32, &str)]) -> Result<Tried> {
        let mut all = Tried::default();
        for (index, test) in tests.iter().enumerate() {
            let before = tests.get(..index).map(|before| self.requests(before)).unwrap_or_default();
            let start = if before.is_empty() { Start::Clean } else { Start::After(before) };
            all.add(self.run_in(None, std::slice::from_ref(test), &[], start)?);
        }
        Ok(all)
    }
}

/// Two JVMs for the same tests.
pub struct Benches {
    pub both: [Bench; MACHINES],
    /// Whether they may run tests at the same time.
    pub at_once: bool,
}

/// A run that is to be made.
pub struct Order<'t> {
    /// In which of the two JVMs; `None`: in the one that is free first, which is the first one where only one may run.
    pub bench: Option<usize>,
    /// `None` for the original code.
    pub active: Option<GuardId>,
    /// Number, engine's id.
    pub tests: Vec<(u32, &'t str)>,
}

impl Benches {
    /// The tests of these classes. Where both JVMs may run, the second one is asked as well: it loads meanwhile what it needs to run them.
    ///
    /// # Errors
    /// As [`Bench::tests`].
    pub fn tests(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        let [first, second] = &mut self.both;
        if !self.at_once {
            return first.tests(classes);
        }
        let (found, _) = both(true, || first.tests(classes), || second.tests(classes))?;
        Ok(found)
    }

    /// In which of the JVMs the run with this number is made: in turn where they run at the same time, else all in the first one.
    #[must_use]
    pub fn turn(&self, number: usize) -> usize {
        if self.at_once { number % MACHINES } else { 0 }
    }

    /// Ends the first JVM where only one may run.
    pub fn change_over(&mut self) {
        if let ([first, _], false) = (&mut self.both, self.at_once) {
            first.session.end();
        }
    }

    /// Makes all of these runs from clean starts, those in one JVM in this order, and records `expressions`: in which JVM, and what came of it. A test that
    /// did not come to its end on the original code by then does not run with a transformation.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run(&mut self, orders: &[Order<'_>], expressions: &[ExpressionId]) -> Result<Vec<(usize, Tried)>> {
        let taken: Vec<AtomicBool> = orders.iter().map(|_| AtomicBool::new(false)).collect();
        let stuck: Mutex<BTreeSet<u32>> = Mutex::default();
        let of = |number: usize, bench: &mut Bench| -> Result<Vec<(usize, (usize, Tried))>> {
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
        let (mut made, more) = both(self.at_once, || of(0, first), || of(1, second))?;
        made.extend(more);
        made.sort_by_key(|(at, _)| *at);
        Ok(made.into_iter().map(|(_, one)| one).collect())
    }
}

/// What comes of both, at the same time or one after the other.
///
/// # Errors
/// The first one's, or the other one's.
pub fn both<A: Send, B: Send>(
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

/// Whether a test failed because something was not as it asserts.
#[must_use]
pub fn is_by_assertion(finished: &Finished) -> bool {
    let name = finished.exception.rsplit(['.', '$']).next().unwrap_or_default();
    // Truth has an `AssertionErrorWithCause`, others have their own, and Mockito one for each way in which a call is not what was verified.
    let is_verification = finished.exception.starts_with("org.mockito.exceptions.verification.");
    let words = ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailures"];
    finished.outcome == Outcome::Failed && (is_verification || words.iter().any(|word| name.contains(word)))
}
