//! From the first run of the tests to the two that follow: again in the same class loader, and from another clean start; with two jobs both at a time,
//! each in a JVM of its own.
//!
//! A test that does otherwise beside another JVM may need what that one has (a port, a file), or do so now and then. What tells the two apart is to run it
//! alone, and beside itself, some more times.

use super::suite::Suite;
use super::{Outcomes, Run};
use crate::error::{Error, ExitCode, Result};
use crate::jvm::client::Worker;
use crate::jvm::protocol::Outcome;
use std::collections::BTreeSet;

/// So often a test that did otherwise beside another JVM runs alone, and beside itself.
const TRIALS: usize = 3;

/// What a run told, by test and in order; no order where it did not come to its end by itself.
pub(super) type Ran = (Outcomes, Option<Run>);

/// Who runs the tests another two times.
pub(super) struct Twice<'s, 'a> {
    pub(super) suite: &'s mut Suite<'a>,
    /// Runs the same tests in another JVM.
    other: Option<Suite<'a>>,
    /// Tests that pass alone, and not beside themselves.
    pub(super) contended: BTreeSet<u32>,
    /// The other JVM, where nothing speaks against it.
    pub(super) left: Option<Worker>,
    /// What tests did once that neither need what others have nor pass each time.
    pub(super) varying: Outcomes,
}

impl<'s, 'a> Twice<'s, 'a> {
    /// `at_once` where a second JVM may run tests.
    pub(super) fn new(suite: &'s mut Suite<'a>, at_once: bool) -> Self {
        let other = at_once.then(|| suite.other());
        Self { suite, other, contended: BTreeSet::new(), left: None, varying: Outcomes::new() }
    }

    /// Runs `tests`, of which the first run had all, in the class loader of that one, and from a clean start. `first` is what it told.
    pub(super) fn run(&mut self, tests: &[usize], first: &Outcomes) -> Result<[Ran; 2]> {
        let Some(mut other) = self.other.take() else {
            return Ok([run(self.suite, tests, false)?, run(self.suite, tests, true)?]);
        };
        let [mut again, mut clean] = at_once(self.suite, &mut other, tests, false)?;
        clean.1.iter().for_each(|run| self.suite.note(run));
        let mut odd = otherwise(tests, first, &[&again, &clean]);
        let is_whole = again.1.is_some() && clean.1.is_some() && other.tests.len() == self.suite.tests.len();
        if is_whole && odd.is_empty() {
            self.left = other.into_worker();
            return Ok([again, clean]);
        }
        // Alone means that nothing of it is left.
        other.end();
        if !is_whole {
            // Tests that end their JVM, or that only a run finds, have a run of their own each time; the class loader of the first one may be gone.
            return self.run_from_clean_start(tests);
        }
        let is_odd = |ran: &Ran, odd: &Outcomes| odd.keys().any(|test| outcome(&ran.0, *test) != outcome(first, *test));
        if is_odd(&again, &odd) {
            again = run(self.suite, tests, false)?;
        }
        if is_odd(&clean, &odd) {
            clean = run(self.suite, tests, true)?;
        }
        // What it does alone, too, is nothing that another JVM does to it.
        odd.retain(|test, _| otherwise(&[*test], first, &[&again, &clean]).is_empty());
        self.tell_apart(&mut other, tests, first, odd)?;
        Ok([again, self.with_varying(clean)])
    }

    /// The same where some of the tests have not run in the class loader of now: in that of the clean start.
    pub(super) fn run_from_clean_start(&mut self, tests: &[usize]) -> Result<[Ran; 2]> {
        let clean = run(self.suite, tests, true)?;
        Ok([run(self.suite, tests, false)?, self.with_varying(clean)])
    }

    /// With what tests did that vary; that is not to be taken for what a later analysis may rely on.
    fn with_varying(&self, (mut clean, told): Ran) -> Ran {
        clean.extend(self.varying.iter().map(|(test, finished)| (*test, finished.clone())));
        (clean, told.filter(|_| self.varying.is_empty()))
    }

    /// Why these tests did `odd` things beside another JVM, and not without it.
    fn tell_apart(
        &mut self,
        other: &mut Suite<'a>,
        tests: &[usize],
        first: &Outcomes,
        mut odd: Outcomes,
    ) -> Result<()> {
        let class = |suite: &Suite<'_>, test: usize| suite.tests.get(test).map(|test| test.class.clone());
        let classes: BTreeSet<_> = odd.keys().map(|test| class(self.suite, *test)).collect();
        let with_them: Vec<usize> =
            tests.iter().copied().filter(|test| classes.contains(&class(self.suite, *test))).collect();
        let suspects = |odd: &Outcomes| odd.keys().copied().collect::<Vec<usize>>();
        for _ in 0..TRIALS {
            if odd.is_empty() {
                return Ok(());
            }
            let alone = run(self.suite, &with_them, true)?;
            for test in otherwise(&suspects(&odd), first, &[&alone]).into_keys() {
                self.varying.extend(odd.remove_entry(&test));
            }
        }
        // Once more, because the other JVM is still starting the first time.
        for _ in 0..=TRIALS {
            if odd.is_empty() {
                return Ok(());
            }
            let both = at_once(self.suite, other, &with_them, true)?;
            for test in otherwise(&suspects(&odd), first, &both.each_ref()).into_keys() {
                odd.remove(&test);
                self.contended.extend(u32::try_from(test));
            }
        }
        self.varying.extend(odd);
        Ok(())
    }
}

pub(super) fn run(suite: &mut Suite<'_>, tests: &[usize], fresh: bool) -> Result<Ran> {
    Ok((suite.run(tests, fresh)?, suite.told()))
}

/// The same tests in two JVMs, in the second one from a clean start, in the first one if it is to be `fresh`. What does not come to an end there gives up no test.
fn at_once(suite: &mut Suite<'_>, other: &mut Suite<'_>, tests: &[usize], fresh: bool) -> Result<[Ran; 2]> {
    let given_up = suite.given_up.clone();
    other.given_up.clone_from(&given_up);
    let both = std::thread::scope(|scope| {
        let second = scope.spawn(|| run(other, tests, true));
        let first = run(suite, tests, fresh);
        let second = second.join().unwrap_or_else(|_| Err(Error::bug("A thread that runs the tests panicked.")));
        // Whether they can run at all is told by a run that has the machine for itself.
        let second = match second {
            Err(error) if error.exit_code != ExitCode::Interrupted => (Outcomes::new(), None),
            second => second?,
        };
        Ok([first?, second])
    });
    suite.given_up = given_up;
    both
}

/// Of these tests those that did otherwise than in the `first` run, with what they did.
fn otherwise(tests: &[usize], first: &Outcomes, runs: &[&Ran]) -> Outcomes {
    let odd = |test: &usize| {
        let of_test = runs.iter().filter(|(ran, _)| outcome(ran, *test) != outcome(first, *test));
        of_test.into_iter().find_map(|(ran, _)| Some((*test, ran.get(test)?.clone())))
    };
    tests.iter().filter_map(odd).collect()
}

pub(super) fn outcome(run: &Outcomes, test: usize) -> Option<Outcome> {
    run.get(&test).map(|one| one.outcome)
}
