//! Finds the verdict on one transformation. Its tests run in a warm class loader first. If none of
//! them notices it there, all of them run from a clean start.

use super::patience::{CONFIRMATION, Patience, SUSPICION, Taken};
use super::runner::{Failure, Runner, Seen, ended_jvm, enter, never_ends};
use super::stage::Stage;
use super::verdict::{Basis, Judged, Verdict};
use super::way::Way;
use super::whole_classes::Around;
use crate::base::error::Result;
use crate::base::id::{GuardId, TestId, TransformationId};
use crate::jvm::protocol::{Finished, Outcome};
use crate::run::Session;
use std::collections::BTreeSet;

/// A transformation and the tests of one recipe that can see it.
pub(super) struct Work {
    pub(super) transformation: TransformationId,
    /// The guard by which the launch knows it.
    pub(super) guard: GuardId,
    pub(super) tests: Vec<TestId>,
    /// No other recipe has tests for it.
    pub(super) is_last: bool,
}

/// Judges one transformation in one JVM.
pub(super) struct Judge<'j, 'a> {
    pub(super) stage: &'a Stage<'a>,
    pub(super) runner: Runner<'j, 'a>,
    /// Tests that ran only because they are in the classes of the others, or depend on them.
    beside: Vec<TestId>,
}

/// A verdict that is found before all tests run from a clean start.
struct AtOnce {
    verdict: Verdict,
    /// The verdict depends on the original code only in that the tests pass there, as they did in
    /// its first runs.
    is_by_transformed: bool,
}

impl<'j, 'a> Judge<'j, 'a> {
    pub(super) fn new(stage: &'a Stage<'a>, session: &'j mut Session) -> Self {
        Self { stage, runner: Runner::new(stage, session), beside: Vec::new() }
    }

    pub(super) fn judge(&mut self, work: &Work) -> Result<Judged> {
        let stage = self.stage;
        let method = stage.transformations.transformations[work.transformation].method;
        let mut tests = stage.ranking.by_likelihood(method, &work.tests);
        let only_clean = stage.ranking.only_clean(method, &tests);
        let guard = work.guard;
        let ranked = stage.ranking.before_slow(&tests).to_vec();
        // A transformation that was undetected before is likely to be so again. The run that
        // settles that needs no other run before it.
        let confirm = |judge: &mut Self| judge.confirm(guard, &work.tests);
        let again = if stage.was_undetected(work.transformation) { Some(confirm(self)?) } else { None };
        let again = again.filter(Verdict::is_undetected);
        let late = stage.late(work.transformation);
        // Likewise, the test that noticed before is likely to notice again, and needs no other test
        // before it.
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
        let beside = if is_prefix { Vec::new() } else { std::mem::take(&mut self.beside) };
        let mut entered = std::mem::take(&mut self.runner.entered);
        tests.iter().chain(&beside).for_each(|test| enter(&mut entered, stage.ranking.entered_by(*test)));
        let transformed = std::mem::take(&mut self.runner.transformed);
        let basis = Basis {
            is_prefix,
            only_clean,
            entered: (!self.runner.is_unknown).then_some(entered),
            transformed: (is_by_transformed && !self.runner.is_unknown).then_some(transformed),
            milliseconds: tests.last().map_or(0, |test| stage.coverage.cpu_and_wall_milliseconds(*test).0),
            tests,
            beside,
        };
        Ok(Judged { verdict, basis })
    }

    /// Runs the tests in this order, up to one that fails for no other reason than the
    /// transformation. `None` if no test does. With `fresh`, the first run is a clean start
    /// already, because nothing else settles the verdict. `late` is the test that did not end in an
    /// earlier analysis.
    fn first_to_notice(
        &mut self,
        guard: GuardId,
        ranked: &[TestId],
        fresh: bool,
        late: Option<TestId>,
    ) -> Result<Option<AtOnce>> {
        let way = if fresh { Way::Clean } else { Way::Warm };
        let mut seen = self.runner.run(Some(guard), ranked, way)?;
        if let (Seen::Failed(failure), false) = (&seen, fresh) {
            // The failing test, on the original code: if it fails there too, the class loader has
            // traces.
            let kill = failure.kill.clone();
            if !failure.of_class && self.is_detection(guard, &[kill.test], failure, Way::Warm)? {
                // A slow test was seen to pass from clean starts as well.
                let is_by_transformed = !self.stage.coverage.is_slow(kill.test);
                return Ok(Some(AtOnce { verdict: Verdict::Detected(kill), is_by_transformed }));
            }
            // The traces depend on which transformations ran here before. From a clean start the
            // answer is always the same.
            seen = self.runner.run(Some(guard), ranked, Way::Clean)?;
        }
        match seen {
            Seen::AllPassed => {}
            Seen::Failed(failure) => {
                let same = up_to(ranked, failure.kill.test);
                if !failure.of_class && self.is_detection(guard, same, &failure, Way::Clean)? {
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

    /// Runs all tests from a clean start, with the transformation active before the first class of
    /// the project is loaded. They run in their whole classes: a later test of a class, or its end,
    /// may show what the tests that enter the method do not.
    fn confirm(&mut self, guard: GuardId, seeing: &[TestId]) -> Result<Verdict> {
        let Around { tests, is_complete } = self.stage.classes.complete(seeing);
        self.beside = tests.iter().copied().filter(|test| !seeing.contains(test)).collect();
        let way = if is_complete { Way::Whole } else { Way::Clean };
        let has_tried_seeds = !self.runner.sometimes.is_empty();
        if has_tried_seeds {
            self.try_seeds(guard, seeing, false)?;
        }
        // Lists of tests that run by themselves. With `true`, a failure of the class as a whole
        // does not count.
        let mut waiting = vec![(tests, false)];
        let mut passed = false;
        let mut skipped = BTreeSet::new();
        while let Some((mut tests, ignores_class)) = waiting.pop() {
            if tests.is_empty() {
                continue;
            }
            let has_seeing = tests.iter().any(|test| seeing.contains(test));
            let failure = match self.runner.run(Some(guard), &tests, way)? {
                Seen::AllPassed => {
                    let out = self.runner.last.iter().filter(|finished| finished.outcome == Outcome::Skipped);
                    // Other tests of a class may be skipped in any case.
                    skipped.extend(out.map(|finished| finished.number).filter(|test| seeing.contains(test)));
                    passed |= has_seeing;
                    continue;
                }
                Seen::Failed(failure) if failure.of_class && ignores_class => {
                    passed |= has_seeing;
                    continue;
                }
                Seen::Failed(failure) => failure,
                Seen::Late(test) => {
                    if let Some(verdict) = self.confirm_late(guard, test, &CONFIRMATION)? {
                        return Ok(verdict);
                    }
                    if let Some(verdict) = self.confirm_late_in(guard, test, &tests, way)? {
                        return Ok(verdict);
                    }
                    // A false time-out: this test has passed with more time, and the other tests
                    // decide.
                    passed |= seeing.contains(&test);
                    tests.retain(|other| *other != test);
                    waiting.push((tests, ignores_class));
                    continue;
                }
                Seen::Died(Some(test)) => Failure { kill: ended_jvm(test), of_class: false },
                Seen::Died(None) => return Ok(Verdict::FailedToRun("the JVM ended before a test was running".into())),
                Seen::Broken(reason) => return Ok(Verdict::FailedToRun(reason)),
            };
            let culprit = failure.kill.test;
            if self.is_detection_among(guard, &tests, seeing, &failure, way)? {
                return Ok(Verdict::Detected(failure.kill));
            }
            if failure.of_class {
                // The class needs all of its tests (its tear-down counts them, say): it runs by
                // itself.
                let class = self.class_of(culprit);
                let (inside, outside) = tests.iter().partition(|test| self.class_of(**test) == class);
                waiting.push((outside, ignores_class));
                waiting.push((inside, true));
            } else {
                // It fails here without any change, so it needs tests of other classes before it. Then
                // only the tests that enter the method count, without those that fail like this.
                let counts = |test: &TestId| *test != culprit && (seeing.contains(&culprit) || seeing.contains(test));
                tests.retain(counts);
                waiting.push((tests, ignores_class));
            }
        }
        // A test that notices with some seeds ran to its end with others.
        Ok(if passed || !self.runner.sometimes.is_empty() {
            // In a copy, this is known from the project's own folder.
            if !has_tried_seeds && self.stage.copy.is_none() {
                self.try_seeds(guard, seeing, true)?;
            }
            let sometimes = self.runner.sometimes.iter().copied().collect();
            Verdict::Undetected { skipped: skipped.into_iter().collect(), sometimes }
        } else {
            Verdict::FailedToRun("its tests fail, without any change, when they run without the other tests".into())
        })
    }

    /// Runs the same tests again with far more time for one that was late only because of tests
    /// before it.
    fn confirm_late_in(&mut self, guard: GuardId, late: TestId, tests: &[TestId], way: Way) -> Result<Option<Verdict>> {
        let stage = self.stage;
        let start_up = stage.start_up;
        let limit = |test: TestId| {
            let patience = if test == late { &CONFIRMATION } else { &SUSPICION };
            stage.limit(test, patience).and(start_up)
        };
        let failure = match self.runner.run_within(Some(guard), tests, way, limit)? {
            Seen::Late(test) if test == late => Failure { kill: never_ends(late), of_class: false },
            _ => return Ok(None),
        };
        let passes = self.passes_on_original(tests, &failure, way)?;
        Ok(passes.then_some(Verdict::TimedOut(failure.kill)))
    }

    fn class_of(&self, test: TestId) -> Option<&str> {
        self.stage.coverage.tests.get(test).map(|test| test.class.as_str())
    }

    /// Runs a late test again: alone, from a clean start, with more time than the original code
    /// takes there.
    fn confirm_late(&mut self, guard: GuardId, test: TestId, patience: &Patience) -> Result<Option<Verdict>> {
        let limit = match self.time_alone(test)? {
            Some(time) => self.stage.confirmation(test, time, patience),
            // It needs other tests before it, and its time without them is not known.
            None => self.stage.limit_alone(test),
        };
        Ok(match self.runner.run_within(Some(guard), &[test], Way::Clean, |_| limit)? {
            Seen::Late(_) => Some(Verdict::TimedOut(never_ends(test))),
            Seen::Failed(failure) if self.is_detection(guard, &[test], &failure, Way::Clean)? => {
                Some(Verdict::Detected(failure.kill))
            }
            Seen::Died(Some(_)) => Some(Verdict::Detected(ended_jvm(test))),
            Seen::AllPassed | Seen::Failed(_) | Seen::Died(None) | Seen::Broken(_) => None,
        })
    }

    /// Time of the test alone on the original code, from a clean start; measured once for each
    /// test. `None` if it does not pass that way.
    fn time_alone(&mut self, test: TestId) -> Result<Option<Taken>> {
        let stage = self.stage;
        if let Some(time) = stage.alone.lock().get(&test) {
            return Ok(*time);
        }
        let limit = stage.limit_alone(test);
        self.runner.run_within(None, &[test], Way::Clean, |_| limit)?;
        // A failure of its class (a tear-down that counts its tests, say) has no part in how long
        // it takes.
        let is_own = |finished: &&Finished| !finished.of_class && finished.number == test;
        let passes = self.runner.last.iter().find(is_own).is_some_and(|finished| finished.outcome == Outcome::Passed);
        let sum = |time: fn(&Finished) -> u64| self.runner.last.iter().map(time).sum::<u64>() / 1_000_000;
        let taken = Taken { cpu: sum(|finished| finished.cpu_nanoseconds), wall: sum(|finished| finished.nanoseconds) };
        let time = passes.then_some(taken);
        stage.alone.lock().insert(test, time);
        Ok(time)
    }

    /// [`Self::is_detection`] for a failure in a run of whole classes. `seeing` are the tests that
    /// enter the method.
    pub(super) fn is_detection_among(
        &mut self,
        guard: GuardId,
        tests: &[TestId],
        seeing: &[TestId],
        failure: &Failure,
        way: Way,
    ) -> Result<bool> {
        let culprit = failure.kill.test;
        let is_sure = !failure.of_class && seeing.contains(&culprit);
        // Most tests need no others before them, and then whole classes need not run again.
        if is_sure && self.fails_alone(guard, failure)? {
            return Ok(true);
        }
        // The same tests on the original code, from a clean start: only the transformation may make
        // the difference.
        let same = if failure.of_class || way == Way::Whole { tests } else { up_to(tests, culprit) };
        // What shows beside the tests that enter the method has to show again.
        Ok(self.is_detection(guard, same, failure, way)? && (is_sure || self.repeats(guard, same, failure, way)?))
    }

    /// Whether the failure comes from the transformation, and from nothing else.
    fn is_detection(&mut self, guard: GuardId, tests: &[TestId], failure: &Failure, way: Way) -> Result<bool> {
        let is_known = !failure.of_class && self.runner.sometimes.contains(&failure.kill.test);
        if is_known || !self.passes_on_original(tests, failure, way)? {
            return Ok(false);
        }
        // A slow test may have run only once on the original code (see `cover`), which does not
        // show that it is stable.
        let is_doubtful = !failure.of_class && self.stage.coverage.is_slow(failure.kill.test);
        let way = if way == Way::Warm { Way::Clean } else { way };
        Ok((!is_doubtful || self.repeats(guard, tests, failure, way)?)
            && self.fails_with_other_seeds(guard, tests, failure, way)?)
    }

    /// Whether the same tests do not fail in the same way on the original code.
    pub(super) fn passes_on_original(&mut self, tests: &[TestId], failure: &Failure, way: Way) -> Result<bool> {
        let stage = self.stage;
        let is_known = || stage.passing.lock().contains(&(way, tests.to_vec()));
        if way != Way::Warm && is_known() {
            // The class loader has seen the transformed code from its first class on.
            self.runner.session.taint();
            return Ok(true);
        }
        let original = self.runner.run(None, tests, way)?;
        if way != Way::Warm && matches!(original, Seen::AllPassed) && self.runner.failed_and_passed().0.is_empty() {
            stage.passing.lock().insert((way, tests.to_vec()));
        }
        Ok(original.clears(failure))
    }

    /// Whether the test that failed among others fails by itself as well, and only with the
    /// transformation.
    fn fails_alone(&mut self, guard: GuardId, failure: &Failure) -> Result<bool> {
        let alone = [failure.kill.test];
        Ok(self.runner.run(Some(guard), &alone, Way::Clean)?.is_again(failure)
            && self.is_detection(guard, &alone, failure, Way::Clean)?)
    }

    /// Whether the same test fails a second time, and passes a second time on the original code.
    fn repeats(&mut self, guard: GuardId, tests: &[TestId], failure: &Failure, way: Way) -> Result<bool> {
        Ok(self.runner.run(Some(guard), tests, way)?.is_again(failure)
            && self.runner.run(None, tests, way)?.clears(failure))
    }
}

/// The tests up to this one.
pub(super) fn up_to(tests: &[TestId], last: TestId) -> &[TestId] {
    let behind = tests.iter().position(|test| *test == last).map_or(tests.len(), |index| index + 1);
    tests.get(..behind).unwrap_or(tests)
}
