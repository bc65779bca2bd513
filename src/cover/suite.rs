//! From the tests of a project to what each of them did in one run: goes on behind a test that hangs or ends the JVM.

use super::set_up::SetUp;
use super::{Outcomes, Run, Test};
use crate::base::error::{Error, Result};
use crate::base::id::RecipeId;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Finished, FoundTest, Limit, Outcome, Record, RunTest};
use crate::recipe::Engine;
use crate::run::{End, Job, Ran, Session, Start};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A test on the original code may use so much CPU time (milliseconds); one that uses more is quarantined.
const LONGEST_TEST: u64 = 120_000;

/// The tests of a project and the worker that runs them.
pub struct Suite<'a> {
    /// In the order of their first start.
    pub tests: Vec<Test>,
    /// By the engine's identifier: index into `tests`.
    numbers: HashMap<String, usize>,
    /// Tests that hang or end the JVM, once seen, are not run again.
    pub given_up: BTreeMap<usize, Finished>,
    pub set_up: SetUp,
    /// What has been run since it was last asked; `None` for what did not come to its end by itself.
    told: Vec<Option<Run>>,
    /// The engine knows set-up of the whole suite.
    sets_up_suite: bool,
    session: Session,
    /// The tests that have run in the class loader of now.
    in_loader: Vec<usize>,
    launch: &'a Launch,
    /// Told of each test that has run.
    ran: &'a (dyn Fn() + Sync),
}

/// How a run ended before its time.
enum Culprit {
    /// This test did not come to its end.
    Hung(u32),
    /// The JVM ended while this test was running.
    Ended(u32),
    /// No test was running.
    Nobody,
}

impl<'a> Suite<'a> {
    /// `session` has found the tests.
    pub fn new(
        session: Session,
        launch: &'a Launch,
        found: &[FoundTest],
        engine: Engine,
        ran: &'a (dyn Fn() + Sync),
    ) -> Self {
        let mut suite = Self {
            tests: Vec::new(),
            numbers: HashMap::new(),
            given_up: BTreeMap::new(),
            set_up: SetUp::default(),
            told: Vec::new(),
            sets_up_suite: engine == Engine::TestNG,
            session,
            in_loader: Vec::new(),
            launch,
            ran,
        };
        found.iter().for_each(|test| suite.add(test));
        suite
    }

    fn add(&mut self, test: &FoundTest) {
        if let std::collections::hash_map::Entry::Vacant(free) = self.numbers.entry(test.id.clone()) {
            free.insert(self.tests.len());
            self.tests.push(Test {
                id: test.id.clone(),
                name: test.name.clone(),
                class: test.class.clone(),
                recipe: RecipeId(0),
            });
        }
    }

    /// The same tests, to be run in another JVM.
    pub fn other(&self) -> Self {
        Self {
            tests: self.tests.clone(),
            numbers: self.numbers.clone(),
            given_up: self.given_up.clone(),
            set_up: SetUp::default(),
            told: Vec::new(),
            sets_up_suite: self.sets_up_suite,
            session: Session::new(Arc::new(self.launch.clone())),
            in_loader: Vec::new(),
            launch: self.launch,
            ran: self.ran,
        }
    }

    /// Takes note of what another JVM told of the same tests.
    pub fn note(&mut self, run: &Run) {
        self.set_up.note(&self.tests, run, self.sets_up_suite);
    }

    /// The JVM, if it can go on with other tests.
    pub fn into_session(self) -> Option<Session> {
        Some(self.session).filter(Session::is_alive)
    }

    /// Ends the JVM; the next run starts another one.
    pub fn end(&mut self) {
        self.session.end();
    }

    /// Runs tests, by their numbers; with the results come those of tests that were found only while running.
    pub fn run(&mut self, tests: &[usize], fresh: bool) -> Result<Outcomes> {
        self.run_telling(tests, fresh, &mut |_| {})
    }

    /// The same, and tells of each test when it has finished.
    pub fn run_telling(&mut self, tests: &[usize], fresh: bool, tell: &mut dyn FnMut(&Finished)) -> Result<Outcomes> {
        let mut results = Outcomes::new();
        let mut left: Vec<usize> = tests.to_vec();
        let mut fresh = fresh;
        loop {
            left.retain(|test| !results.contains_key(test) && !self.given_up.contains_key(test));
            if left.is_empty() {
                break;
            }
            let (finished, culprit) = self.attempt(&left, fresh, tell)?;
            let progress = !finished.is_empty();
            results.extend(finished);
            match culprit {
                // What came to no test at all came to the set-up of the first class.
                Some(Culprit::Nobody) if fresh && !progress => self.give_up_class(&left),
                Some(Culprit::Nobody) => {}
                None => break,
                Some(Culprit::Hung(_)) => {}
                // A thread that an earlier test has left can end the JVM during any other: the culprit does it alone, too.
                Some(Culprit::Ended(test)) => {
                    let test = test as usize;
                    if !fresh || left.first() != Some(&test) {
                        self.given_up.remove(&test);
                        results.extend(self.attempt(&[test], true, tell)?.0);
                    }
                }
            }
            fresh = true;
        }
        results.extend(self.given_up.iter().map(|(test, finished)| (*test, finished.clone())));
        Ok(results)
    }

    /// One request, up to its end or to the test that ended it, which is given up.
    fn attempt(
        &mut self,
        tests: &[usize],
        fresh: bool,
        tell: &mut dyn FnMut(&Finished),
    ) -> Result<(Outcomes, Option<Culprit>)> {
        if fresh || !self.session.is_alive() {
            self.in_loader.clear();
        }
        let start = if fresh { Start::Clean } else { Start::After(self.requests(&self.in_loader)) };
        self.in_loader.extend(tests);
        let job = Job {
            tests: self.requests(tests),
            transformation: None,
            record: Record::Coverage,
            start,
            stop_at_first_failure: false,
            next_number: u32::try_from(self.tests.len()).unwrap_or(u32::MAX),
            other_limit: Limit::of_time(LONGEST_TEST),
        };
        let ran = self.session.run_telling(&job, &mut |finished| {
            (self.ran)();
            tell(finished);
        })?;
        ran.unexpected.iter().for_each(|(_, test)| self.add(test));
        let (culprit, reason) = culprit(&ran);
        let Ran { finished, end, entered, .. } = ran;
        let is_whole = end == End::Complete;
        let run = Run { finished: finished.clone(), rest: if is_whole { entered.clone() } else { Vec::new() } };
        self.note(&run);
        self.told.push(is_whole.then_some(run));
        let finished: Outcomes = finished.into_iter().map(|finished| (finished.number as usize, finished)).collect();
        match &end {
            // What broke it is a test that has failed: the rest goes on.
            End::Broken(_) if !finished.is_empty() => {}
            End::Broken(reason) => {
                return Err(Error::cannot_build(
                    format!("The tests could not be run: {reason}."),
                    "Check that `mvn test` works; if it does, please report this as a bug in reneri.",
                ));
            }
            End::Complete | End::Late(_) | End::Hung(_) | End::Died { .. } => {}
        }
        if let Some(Culprit::Hung(number) | Culprit::Ended(number)) = culprit {
            self.give_up(number as usize, reason, entered);
        }
        Ok((finished, culprit))
    }

    fn requests(&self, tests: &[usize]) -> Vec<RunTest> {
        let request = |test: &usize| {
            let id = self.tests.get(*test)?.id.clone();
            Some(RunTest { number: u32::try_from(*test).ok()?, id, limit: Limit::of_time(LONGEST_TEST) })
        };
        tests.iter().filter_map(request).collect()
    }

    /// The run since this was last asked, if it was one and came to its end by itself.
    pub fn told(&mut self) -> Option<Run> {
        let mut told = std::mem::take(&mut self.told);
        // Nothing to run is a run as well.
        let last = told.pop().unwrap_or_else(|| Some(Run::default()));
        last.filter(|_| told.is_empty())
    }

    fn give_up(&mut self, test: usize, message: String, entered: Vec<u32>) {
        let finished = Finished {
            number: u32::try_from(test).unwrap_or(u32::MAX),
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
        self.given_up.insert(test, finished);
    }

    /// Gives up all tests of the class that comes first.
    fn give_up_class(&mut self, tests: &[usize]) {
        let class_of = |test: &usize| self.tests.get(*test).map(|test| test.class.clone());
        let class = tests.first().and_then(class_of);
        let same: Vec<usize> = tests.iter().copied().filter(|test| class_of(test) == class).collect();
        for test in same {
            self.give_up(test, "the JVM ends, or hangs, before it starts".to_owned(), Vec::new());
        }
    }
}

/// The test that ended a run before its time, and how, in words; `None` for a run that came to its end.
fn culprit(ran: &Ran) -> (Option<Culprit>, String) {
    let too_long = || {
        let limit = Limit::of_time(LONGEST_TEST);
        let (cpu, wall) = (limit.milliseconds / 1000, limit.wall().as_secs());
        format!("it does not end within {cpu} s of CPU time and {wall} s by the clock")
    };
    match &ran.end {
        End::Complete => (None, String::new()),
        End::Late(test) | End::Hung(Some(test)) => (Some(Culprit::Hung(*test)), too_long()),
        End::Died { test: Some(test), exit } => {
            let how = exit.as_ref().map(|exit| format!(" ({exit})")).unwrap_or_default();
            (Some(Culprit::Ended(*test)), format!("it ends the JVM{how}"))
        }
        End::Hung(None) | End::Died { test: None, .. } | End::Broken(_) => (Some(Culprit::Nobody), String::new()),
    }
}
