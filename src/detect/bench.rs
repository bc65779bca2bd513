//! From one transformation and its tests to a verdict, in one worker: in a warm class loader first, what survives from a clean start.

use super::patience::{CLEAN_START, CONFIRMATION, Patience, SUSPICION, Taken};
use super::stage::Stage;
use super::{Basis, Judged, Kill, Verdict, Work};
use crate::base::error::Result;
use crate::base::id::GuardId;
use crate::jvm::protocol::{Finished, Limit, Outcome, Record, RunTest};
use crate::run::{End, Job, Ran, Session, Start};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// One worker and what it does for one transformation after the other.
pub(super) struct Bench<'a> {
    stage: &'a Stage<'a>,
    session: Session,
    /// What the tests of the last run came to.
    last: Vec<Finished>,
    /// Methods that were entered since the last verdict.
    entered: FixedBitSet,
    /// Those of them that were entered with a transformation.
    transformed: FixedBitSet,
    /// Of a run since the last verdict it is not known what was entered.
    lost: bool,
}

/// A failure, of a test itself or of the set-up or tear-down of its class.
struct Failure {
    kill: Kill,
    of_class: bool,
}

/// What a run of some tests says.
enum Seen {
    AllPassed,
    Failed(Failure),
    /// A test did not end in time.
    Late(usize),
    /// The JVM ended during this test.
    Died(Option<usize>),
    Broken(String),
}

/// A verdict that is found before all tests run from a clean start.
struct AtOnce {
    verdict: Verdict,
    /// Of the original code it asks no more than that the tests pass there, as they did in its first runs.
    is_by_transformed: bool,
}

impl Seen {
    /// Whether what the original did says that the failure comes from the transformation.
    fn clears(&self, failure: &Failure) -> bool {
        match self {
            Self::AllPassed => true,
            // Tests come before classes: no test failed by itself there.
            Self::Failed(original) => original.of_class && !failure.of_class,
            Self::Late(_) | Self::Died(_) | Self::Broken(_) => false,
        }
    }
}

impl<'a> Bench<'a> {
    /// `session` may have run tests of another stage.
    pub(super) fn new(stage: &'a Stage<'a>, mut session: Session) -> Self {
        session.taint();
        Self {
            stage,
            session,
            last: Vec::new(),
            entered: FixedBitSet::new(),
            transformed: FixedBitSet::new(),
            lost: false,
        }
    }

    /// The JVM, if one lives.
    pub(super) fn into_session(self) -> Option<Session> {
        Some(self.session).filter(Session::is_alive)
    }

    pub(super) fn judge(&mut self, work: &Work) -> Result<Judged> {
        let stage = self.stage;
        let method = stage.transformations.transformations[work.transformation].method;
        self.entered.clear();
        self.transformed.clear();
        self.lost = false;
        let mut tests = stage.ranking.by_likelihood(method, &work.tests);
        let only_clean = stage.ranking.only_clean(method, &tests);
        let guard = work.guard;
        let ranked = stage.ranking.before_slow(&tests).to_vec();
        // What nobody noticed before is likely to be noticed by nobody again, and the run that settles that needs no other before it.
        let confirm = |bench: &mut Self| bench.confirm(guard, work.tests.clone());
        let again = if stage.was_undetected(work.transformation) { Some(confirm(self)?) } else { None };
        let again = again.filter(Verdict::is_undetected);
        let late = stage.late(work.transformation);
        // Likewise, who noticed before is likely to notice again, and needs no other before it.
        let mut at_once = None;
        if let Some(test) = stage.noticed(work.transformation).filter(|test| ranked.contains(test)) {
            let found = self.first_to_notice(guard, &[test], only_clean, late)?;
            at_once = found.filter(|found| found.verdict.kill().is_some());
            if at_once.is_some() {
                tests = vec![test];
            }
        }
        if at_once.is_none() && again.is_none() {
            at_once = self.first_to_notice(guard, &ranked, only_clean, late)?;
        }
        let is_prefix = at_once.is_some();
        let mut is_by_transformed = false;
        let verdict = match at_once {
            Some(found) => {
                is_by_transformed = found.is_by_transformed;
                let verdict = found.verdict;
                if let Some(kill) = verdict.kill() {
                    tests.truncate(up_to(&tests, kill.test).len());
                }
                verdict
            }
            None => again.map_or_else(|| confirm(self), Ok)?,
        };
        let mut entered = std::mem::take(&mut self.entered);
        tests.iter().for_each(|test| enter(&mut entered, stage.ranking.entered_by(*test)));
        let transformed = std::mem::take(&mut self.transformed);
        let basis = Basis {
            is_prefix,
            only_clean,
            entered: (!self.lost).then_some(entered),
            transformed: (is_by_transformed && !self.lost).then_some(transformed),
            milliseconds: tests.last().map_or(0, |test| stage.coverage.cpu_and_wall_milliseconds(*test).0),
            tests,
        };
        Ok(Judged { verdict, basis })
    }

    /// The tests in this order, up to the one that fails for no other reason than the transformation; from a clean start at once where nothing else tells
    /// (`fresh`). `None` where none does. `late` is the one that did not end in an earlier analysis.
    fn first_to_notice(
        &mut self,
        guard: GuardId,
        ranked: &[usize],
        fresh: bool,
        late: Option<usize>,
    ) -> Result<Option<AtOnce>> {
        let mut seen = self.run(Some(guard), ranked, fresh)?;
        if let (Seen::Failed(failure), false) = (&seen, fresh) {
            // The killing test, on the original again: if it fails there too, the loader is dirty.
            let kill = failure.kill.clone();
            if !failure.of_class && self.is_detection(guard, &[kill.test], failure, false)? {
                // One that is slow was seen to pass from clean starts as well.
                let is_by_transformed = !self.stage.coverage.is_slow(kill.test);
                return Ok(Some(AtOnce { verdict: Verdict::Detected(kill), is_by_transformed }));
            }
            // What made it dirty hangs on which transformations ran here before; from a clean start the answer is always the same.
            seen = self.run(Some(guard), ranked, true)?;
        }
        match seen {
            Seen::AllPassed => {}
            Seen::Failed(failure) => {
                let same = up_to(ranked, failure.kill.test);
                if !failure.of_class && self.is_detection(guard, same, &failure, true)? {
                    return Ok(Some(AtOnce { verdict: Verdict::Detected(failure.kill), is_by_transformed: false }));
                }
            }
            Seen::Late(test) => {
                let patience = if late == Some(test) { &SUSPICION } else { &CONFIRMATION };
                if let Some(verdict) = self.confirm_late(guard, test, patience)? {
                    let is_by_transformed = matches!(verdict, Verdict::TimedOut(_));
                    return Ok(Some(AtOnce { verdict, is_by_transformed }));
                }
            }
            Seen::Died(_) => {}
            Seen::Broken(reason) => {
                return Ok(Some(AtOnce { verdict: Verdict::FailedToRun(reason), is_by_transformed: false }));
            }
        }
        Ok(None)
    }

    /// All tests from a clean start, the transformation active before the first class of the project is loaded.
    fn confirm(&mut self, guard: GuardId, tests: Vec<usize>) -> Result<Verdict> {
        // Lists that run by themselves; where `true`, what befalls the class as a whole does not count.
        let mut waiting = vec![(tests, false)];
        let mut passed = false;
        let mut skipped = BTreeSet::new();
        while let Some((mut tests, ignores_class)) = waiting.pop() {
            if tests.is_empty() {
                continue;
            }
            let failure = match self.run(Some(guard), &tests, true)? {
                Seen::AllPassed => {
                    let out = self.last.iter().filter(|finished| finished.outcome == Outcome::Skipped);
                    skipped.extend(out.map(|finished| finished.number as usize));
                    if let Some(kill) = self.kill_of_template(guard)? {
                        return Ok(Verdict::Detected(kill));
                    }
                    passed = true;
                    continue;
                }
                Seen::Failed(failure) if failure.of_class && ignores_class => {
                    passed = true;
                    continue;
                }
                Seen::Failed(failure) => failure,
                Seen::Late(test) => {
                    if let Some(verdict) = self.confirm_late(guard, test, &CONFIRMATION)? {
                        return Ok(verdict);
                    }
                    // A false time-out: the others decide, and this test has passed with more time.
                    passed = true;
                    tests.retain(|other| *other != test);
                    waiting.push((tests, ignores_class));
                    continue;
                }
                Seen::Died(Some(test)) => Failure { kill: ended_jvm(test), of_class: false },
                Seen::Died(None) => return Ok(Verdict::FailedToRun("the JVM ended before a test was running".into())),
                Seen::Broken(reason) => return Ok(Verdict::FailedToRun(reason)),
            };
            // The same tests, on the original, from a clean start: only the transformation may make the difference.
            let culprit = failure.kill.test;
            let same = if failure.of_class { &tests[..] } else { up_to(&tests, culprit) };
            if self.is_detection(guard, same, &failure, true)? {
                return Ok(Verdict::Detected(failure.kill));
            }
            if failure.of_class {
                // The class insists on being run whole (its tear-down counts its tests, say): it goes by itself.
                let class = self.class_of(culprit);
                let (inside, outside) = tests.iter().partition(|test| self.class_of(**test) == class);
                waiting.push((outside, ignores_class));
                waiting.push((inside, true));
            } else {
                // Fails here without any change: it needs other tests before it.
                tests.retain(|test| *test != culprit);
                waiting.push((tests, ignores_class));
            }
        }
        Ok(if passed {
            Verdict::Undetected { skipped: skipped.into_iter().collect() }
        } else {
            Verdict::FailedToRun("its tests fail, without any change, when they run without the other tests".into())
        })
    }

    /// An invocation that was aborted may be one that is tried again (retrying tests): what its template makes of it is the truth.
    fn kill_of_template(&mut self, guard: GuardId) -> Result<Option<Kill>> {
        let mut seen = BTreeSet::new();
        for finished in std::mem::take(&mut self.last) {
            if finished.outcome != Outcome::Skipped {
                continue;
            }
            let test = finished.number as usize;
            let Some(template) = self.stage.coverage.tests.get(test).and_then(|test| test.template()) else { continue };
            if !seen.insert(template) {
                continue;
            }
            let whole = |guard: Option<GuardId>, bench: &mut Self| {
                let id = template.to_owned();
                let limit = bench.stage.limit(test, &CLEAN_START);
                let test = RunTest { number: u32::try_from(test).unwrap_or(u32::MAX), id, limit };
                bench.request(guard, vec![test], true)
            };
            if let Seen::Failed(failure) = whole(Some(guard), self)?
                && matches!(whole(None, self)?, Seen::AllPassed)
            {
                return Ok(Some(Kill { test, ..failure.kill }));
            }
        }
        Ok(None)
    }

    fn class_of(&self, test: usize) -> Option<&str> {
        self.stage.coverage.tests.get(test).map(|test| test.class.as_str())
    }

    /// A late test again, alone, from a clean start, with more time than the original code takes there.
    fn confirm_late(&mut self, guard: GuardId, test: usize, patience: &Patience) -> Result<Option<Verdict>> {
        let limit = match self.time_alone(test)? {
            Some(time) => self.stage.confirmation(test, time, patience),
            // It needs other tests before it; what it then takes is not known.
            None => self.stage.limit_alone(test),
        };
        Ok(match self.run_within(Some(guard), &[test], true, |_| limit)? {
            Seen::Late(_) => {
                Some(Verdict::TimedOut(Kill { test, exception: String::new(), message: "it does not end".into() }))
            }
            Seen::Failed(failure) if self.is_detection(guard, &[test], &failure, true)? => {
                Some(Verdict::Detected(failure.kill))
            }
            Seen::Died(Some(_)) => Some(Verdict::Detected(ended_jvm(test))),
            Seen::AllPassed | Seen::Failed(_) | Seen::Died(None) | Seen::Broken(_) => None,
        })
    }

    /// Measured once for each test.
    fn time_alone(&mut self, test: usize) -> Result<Option<Taken>> {
        let stage = self.stage;
        if let Some(time) = stage.alone.lock().get(&test) {
            return Ok(*time);
        }
        let limit = stage.limit_alone(test);
        self.run_within(None, &[test], true, |_| limit)?;
        // What befalls its class (a tear-down that counts its tests, say) has no part in how long it takes.
        let is_own = |finished: &&Finished| !finished.of_class && finished.number as usize == test;
        let passes = self.last.iter().find(is_own).is_some_and(|finished| finished.outcome == Outcome::Passed);
        let sum = |time: fn(&Finished) -> u64| self.last.iter().map(time).sum::<u64>() / 1_000_000;
        let taken = Taken { cpu: sum(|finished| finished.cpu_nanoseconds), wall: sum(|finished| finished.nanoseconds) };
        let time = passes.then_some(taken);
        stage.alone.lock().insert(test, time);
        Ok(time)
    }

    /// Whether the failure comes from the transformation, and from nothing else.
    fn is_detection(&mut self, guard: GuardId, tests: &[usize], failure: &Failure, fresh: bool) -> Result<bool> {
        Ok(self.passes_on_original(tests, failure, fresh)? && self.fails_again(guard, tests, failure)?)
    }

    /// Whether the same tests on the original do not show the same failure.
    fn passes_on_original(&mut self, tests: &[usize], failure: &Failure, fresh: bool) -> Result<bool> {
        let stage = self.stage;
        if fresh && stage.passing.lock().contains(tests) {
            // The class loader has seen the transformed code from its first class on.
            self.session.taint();
            return Ok(true);
        }
        let original = self.run(None, tests, fresh)?;
        if fresh && matches!(original, Seen::AllPassed) {
            stage.passing.lock().insert(tests.to_vec());
        }
        Ok(original.clears(failure))
    }

    /// A slow test may have run only once on the original code (`cover`), which does not show that it is stable: where it notices, it does so a second time, and
    /// passes a second time, from clean starts.
    fn fails_again(&mut self, guard: GuardId, tests: &[usize], failure: &Failure) -> Result<bool> {
        let culprit = failure.kill.test;
        if failure.of_class || !self.stage.coverage.is_slow(culprit) {
            return Ok(true);
        }
        let is_killed =
            matches!(self.run(Some(guard), tests, true)?, Seen::Failed(again) if again.kill.test == culprit);
        Ok(is_killed && self.run(None, tests, true)?.clears(failure))
    }

    /// Runs tests with a transformation or on the original code, up to the first failure.
    fn run(&mut self, guard: Option<GuardId>, tests: &[usize], fresh: bool) -> Result<Seen> {
        let stage = self.stage;
        // What the first test of the suite once set up (mocks, a context), any test has to set up that is the first of a clean start.
        let start_up = if fresh || self.session.is_cold() { stage.start_up } else { 0 };
        self.run_within(guard, tests, fresh, |test| stage.limit(test, &SUSPICION).and(start_up))
    }

    fn run_within(
        &mut self,
        guard: Option<GuardId>,
        tests: &[usize],
        fresh: bool,
        limit: impl Fn(usize) -> Limit,
    ) -> Result<Seen> {
        let tests = tests
            .iter()
            .filter_map(|test| {
                Some(RunTest {
                    number: u32::try_from(*test).ok()?,
                    id: self.stage.coverage.tests.get(*test)?.id.clone(),
                    limit: limit(*test),
                })
            })
            .collect();
        self.request(guard, tests, fresh)
    }

    fn request(&mut self, active: Option<GuardId>, tests: Vec<RunTest>, fresh: bool) -> Result<Seen> {
        let stage = self.stage;
        let longest = tests.iter().map(|test| test.limit).max().unwrap_or(Limit::of_time(0));
        let ran = self.session.run(&Job {
            tests,
            transformation: active,
            record: Record::Coverage,
            start: if fresh { Start::Clean } else { Start::Warm },
            stop_at_first_failure: true,
            next_number: u32::try_from(stage.coverage.tests.len()).unwrap_or(u32::MAX),
            other_limit: longest,
        })?;
        stage.unwoven.lock().extend(self.session.take_unwoven());
        self.lost |= !ran.knows_entered();
        let Ran { finished, end, entered, .. } = ran;
        for finished in &finished {
            self.enter(active, &finished.between().collect::<Vec<_>>());
            self.enter(active, &finished.entered);
        }
        self.enter(active, &entered);
        self.last.clone_from(&finished);
        // What a test does itself tells more than what befalls its class, and comes first.
        let failure = finished
            .into_iter()
            .filter(|finished| finished.outcome == Outcome::Failed)
            .min_by_key(|finished| finished.of_class);
        Ok(match (end, failure) {
            (End::Late(late), _) => Seen::Late(late as usize),
            (End::Hung(Some(hung)), _) => Seen::Late(hung as usize),
            (_, Some(failure)) => Seen::Failed(Failure { of_class: failure.of_class, kill: kill(failure) }),
            (End::Died { test, .. }, None) => Seen::Died(test.map(|test| test as usize)),
            (End::Hung(None), None) => Seen::Died(None),
            (End::Broken(reason), None) => Seen::Broken(reason),
            (End::Complete, None) => Seen::AllPassed,
        })
    }

    fn enter(&mut self, active: Option<GuardId>, methods: &[u32]) {
        enter(&mut self.entered, methods);
        if active.is_some() {
            enter(&mut self.transformed, methods);
        }
    }
}

/// The tests with this one and without those behind it.
fn up_to(tests: &[usize], last: usize) -> &[usize] {
    let behind = tests.iter().position(|test| *test == last).map_or(tests.len(), |index| index + 1);
    tests.get(..behind).unwrap_or(tests)
}

fn enter(all: &mut FixedBitSet, methods: &[u32]) {
    methods.iter().for_each(|method| all.grow_and_insert(*method as usize));
}

fn kill(failure: Finished) -> Kill {
    Kill { test: failure.number as usize, exception: failure.exception, message: failure.message }
}

fn ended_jvm(test: usize) -> Kill {
    Kill { test, exception: String::new(), message: "the JVM ended while the test was running".to_owned() }
}
