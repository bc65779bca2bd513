//! Runs tests with a transformation for a [`Judge`](super::judge::Judge), and remembers what they
//! entered.

use super::patience::SUSPICION;
use super::stage::Stage;
use super::verdict::Kill;
use super::way::Way;
use crate::base::error::Result;
use crate::base::id::{GuardId, MethodId, TestId};
use crate::jvm::protocol::{Finished, Limit, Outcome, Record, RunTest, World};
use crate::run::{End, Job, Ran, Reported, Session, Start};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// One JVM, and the results of its runs for one transformation.
pub(super) struct Runner<'j, 'a> {
    stage: &'a Stage<'a>,
    pub(super) session: &'j mut Session,
    /// Results of the last run.
    pub(super) last: Vec<Finished>,
    /// Methods that were entered.
    pub(super) entered: FixedBitSet,
    /// Methods that were entered with the transformation.
    pub(super) transformed: FixedBitSet,
    /// Whether the methods that some run entered are unknown.
    pub(super) is_unknown: bool,
    /// The number of the seeds for everything that draws at random.
    pub(super) world: u32,
    /// Tests that fail with some seeds only. Their failures do not count.
    pub(super) sometimes: BTreeSet<TestId>,
    /// Whether tests run after one has failed.
    pub(super) runs_all: bool,
}

/// A failure, of a test itself or of the set-up or tear-down of its class.
pub(super) struct Failure {
    pub(super) kill: Kill,
    pub(super) of_class: bool,
}

/// The result of a run, up to its first failure that counts.
pub(super) enum Seen {
    AllPassed,
    Failed(Failure),
    /// A test did not end in time.
    Late(TestId),
    /// The JVM ended during this test.
    Died(Option<TestId>),
    Broken(String),
}

impl Seen {
    /// Whether the same test failed.
    pub(super) fn is_again(&self, failure: &Failure) -> bool {
        match self {
            Self::Failed(again) => again.kill.test == failure.kill.test,
            Self::Died(test) => *test == Some(failure.kill.test),
            Self::AllPassed | Self::Late(_) | Self::Broken(_) => false,
        }
    }

    /// Whether this result of the original code shows that the failure comes from the
    /// transformation.
    pub(super) fn clears(&self, failure: &Failure) -> bool {
        match self {
            Self::AllPassed => true,
            // Failures of tests come before those of classes, so no test failed by itself there.
            Self::Failed(original) => original.of_class && !failure.of_class,
            Self::Late(_) | Self::Died(_) | Self::Broken(_) => false,
        }
    }
}

impl<'j, 'a> Runner<'j, 'a> {
    pub(super) fn new(stage: &'a Stage<'a>, session: &'j mut Session) -> Self {
        Self {
            stage,
            session,
            last: Vec::new(),
            entered: FixedBitSet::new(),
            transformed: FixedBitSet::new(),
            is_unknown: false,
            world: 0,
            sometimes: BTreeSet::new(),
            runs_all: false,
        }
    }

    /// The tests that failed by themselves in the last run, and those that passed.
    pub(super) fn failed_and_passed(&self) -> (BTreeSet<TestId>, BTreeSet<TestId>) {
        let with = |outcome: Outcome| {
            let own = self.last.iter().filter(move |finished| !finished.of_class && finished.outcome == outcome);
            own.map(|finished| finished.number).collect()
        };
        (with(Outcome::Failed), with(Outcome::Passed))
    }

    /// Runs tests with a transformation or on the original code, up to the first failure.
    pub(super) fn run(&mut self, guard: Option<GuardId>, tests: &[TestId], way: Way) -> Result<Seen> {
        let stage = self.stage;
        // The first test of a clean start sets up what the first test of the suite once set up
        // (mocks, a context).
        let start_up = if way != Way::Warm || self.session.is_cold() { stage.start_up } else { 0 };
        self.run_within(guard, tests, way, |test| stage.limit(test, &SUSPICION).and(start_up))
    }

    pub(super) fn run_within(
        &mut self,
        guard: Option<GuardId>,
        tests: &[TestId],
        way: Way,
        limit: impl Fn(TestId) -> Limit,
    ) -> Result<Seen> {
        let tests = tests
            .iter()
            .filter_map(|test| {
                // A test that appeared only while running has no entry.
                let id = self.stage.coverage.tests.get(*test)?.id.clone();
                Some(RunTest { number: *test, id, limit: limit(*test) })
            })
            .collect();
        self.request(guard, tests, way)
    }

    fn request(&mut self, active: Option<GuardId>, tests: Vec<RunTest>, way: Way) -> Result<Seen> {
        let stage = self.stage;
        if let Some(copy) = &stage.copy {
            copy.lock().restore();
        }
        let longest = tests.iter().map(|test| test.limit).max().unwrap_or(Limit::of_time(0));
        let ran = self.session.run(&Job {
            tests,
            transformation: active,
            record: Record::Coverage,
            start: if way == Way::Warm { Start::Warm } else { Start::Clean },
            whole_classes: way == Way::Whole,
            stop_at_first_failure: !self.runs_all && self.sometimes.is_empty(),
            next_number: stage.coverage.tests.next_idx(),
            other_limit: longest,
            world: World { seeds: Some(self.world), ..World::default() },
        })?;
        stage.unwoven.lock().extend(self.session.take_unwoven());
        self.is_unknown |= !ran.knows_entered();
        let Ran { reported: Reported { finished, entered, .. }, end } = ran;
        for finished in &finished {
            self.enter(active, &finished.between().collect::<Vec<_>>());
            self.enter(active, &finished.entered);
        }
        self.enter(active, &entered);
        self.last.clone_from(&finished);
        // A failure of a test itself says more than a failure of its class, and comes first.
        let failure = finished
            .into_iter()
            .filter(|finished| finished.outcome == Outcome::Failed)
            .filter(|finished| finished.of_class || !self.sometimes.contains(&finished.number))
            .min_by_key(|finished| finished.of_class);
        Ok(match (end, failure) {
            (End::Late(late), _) => Seen::Late(late),
            (End::Hung(Some(hung)), _) => Seen::Late(hung),
            (_, Some(failure)) => Seen::Failed(Failure { of_class: failure.of_class, kill: kill(failure) }),
            (End::Died { test, .. }, None) => Seen::Died(test),
            (End::Hung(None), None) => Seen::Died(None),
            (End::Broken(reason), None) => Seen::Broken(reason),
            (End::Complete, None) => Seen::AllPassed,
        })
    }

    fn enter(&mut self, active: Option<GuardId>, methods: &[MethodId]) {
        enter(&mut self.entered, methods);
        if active.is_some() {
            enter(&mut self.transformed, methods);
        }
    }
}

/// Adds methods to those that were entered.
pub(super) fn enter(all: &mut FixedBitSet, methods: &[MethodId]) {
    methods.iter().for_each(|method| all.grow_and_insert(method.index()));
}

fn kill(failure: Finished) -> Kill {
    Kill { test: failure.number, exception: failure.exception, message: failure.message }
}

/// The failure of a test that ends the JVM.
pub(super) fn ended_jvm(test: TestId) -> Kill {
    Kill { test, exception: String::new(), message: "the JVM ended while the test was running".to_owned() }
}

/// The failure of a test that never ends.
pub(super) fn never_ends(test: TestId) -> Kill {
    Kill { test, exception: String::new(), message: "it does not end".to_owned() }
}
