//! From the first run of the tests to the two that follow: again in the same class loader, and from another clean start; with two jobs both at a time,
//! each in a JVM of its own, or
//! shared by both where the other one has followed the first run.
//!
//! A test that does otherwise beside another JVM may need what that one has (a port, a file), or do so now and then. What tells the two apart is to run it
//! alone, and beside itself, some more times.

use super::follow::{Follower, by_class};
use super::runs::joined;
use super::suite::Suite;
use super::{Outcomes, Run, Test};
use crate::base::error::{Error, Result};
use crate::jvm::protocol::Outcome;
use crate::run::Session;
use std::collections::BTreeSet;

/// So often a test that did otherwise beside another JVM runs alone, and beside itself.
const TRIALS: usize = 3;

/// What a run told, by test and in order; no order where it did not come to its end by itself.
pub(super) type Ran = (Outcomes, Option<Run>);

/// Who runs the tests another two times.
pub(super) struct Twice<'s, 'a> {
    pub(super) suite: &'s mut Suite<'a>,
    /// Runs the same tests in another JVM, and may have begun.
    other: Option<Follower<'a>>,
    /// Tests that pass alone, and not beside themselves.
    pub(super) contended: BTreeSet<u32>,
    /// The other JVM, where nothing speaks against it.
    pub(super) left: Option<Session>,
    /// What tests did once that neither need what others have nor pass each time.
    pub(super) varying: Outcomes,
}

impl<'s, 'a> Twice<'s, 'a> {
    /// `other` where a second JVM may run tests.
    pub(super) fn new(suite: &'s mut Suite<'a>, other: Option<Follower<'a>>) -> Self {
        Self { suite, other, contended: BTreeSet::new(), left: None, varying: Outcomes::new() }
    }

    /// So many runs of a test are to come where these are to run two times.
    pub(super) fn left_of(&self, tests: &[usize]) -> usize {
        let begun = self.other.as_ref().filter(|other| other.has_begun(tests));
        2 * tests.len() - begun.map_or(0, |other| other.tests.len())
    }

    /// Runs `tests`, of which the first run had all, in the class loader of that one, and from a clean start. `first` is what it told.
    pub(super) fn run(&mut self, tests: &[usize], first: &Outcomes) -> Result<[Ran; 2]> {
        let Some(mut other) = self.other.take() else {
            return Ok([run(self.suite, tests, false)?, run(self.suite, tests, true)?]);
        };
        if !other.has_begun(tests) {
            other = Follower::new(other.suite);
        }
        let Follower { suite: mut other, tests: done, ran: begun } = other;
        let left = tests.get(done.len()..).unwrap_or_default();
        let own = if done.is_empty() { tests.len() } else { share(&other.tests, tests, left, first) };
        let (own, others) = tests.split_at(own);
        let of_other = |other: &mut Suite<'a>| {
            let rest = run(other, left, done.is_empty())?;
            Ok([rest, run(other, others, false)?])
        };
        let (again, [rest, more]) = at_once(self.suite, &mut other, |suite| run(suite, own, false), of_other)?;
        [&rest, &more].into_iter().chain([&begun]).flat_map(|ran| &ran.1).for_each(|run| self.suite.note(run));
        let (mut again, mut clean) = (joined([again, more]), joined([begun, rest]));
        let mut odd = otherwise(tests, first, &[&again, &clean]);
        let is_whole = again.1.is_some() && clean.1.is_some() && other.tests.len() == self.suite.tests.len();
        if is_whole && odd.is_empty() {
            self.left = other.into_session();
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
            let alike = |suite: &mut Suite<'a>| run(suite, &with_them, true);
            let (one, [other]) = at_once(self.suite, other, alike, |other| Ok([alike(other)?]))?;
            for test in otherwise(&suspects(&odd), first, &[&one, &other]).into_keys() {
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

/// How many of `tests` run again where the first run was: about half of these and of the other JVM's clean start that is `left`, by what they took, and
/// whole classes.
fn share(all: &[Test], tests: &[usize], left: &[usize], first: &Outcomes) -> usize {
    let took = |test: &usize| first.get(test).map_or(0, |one| one.nanoseconds);
    let half = tests.iter().chain(left).map(took).sum::<u64>() / 2;
    let mut own = 0;
    let is_own = |class: &&[usize]| {
        let is_own = own < half;
        own += class.iter().map(took).sum::<u64>();
        is_own
    };
    by_class(all, tests).take_while(is_own).map(<[usize]>::len).sum()
}

/// What is done in two JVMs at a time. What does not come to an end in the second one gives up no test.
fn at_once<'a, const N: usize>(
    suite: &mut Suite<'a>,
    other: &mut Suite<'a>,
    of_suite: impl FnOnce(&mut Suite<'a>) -> Result<Ran>,
    of_other: impl FnOnce(&mut Suite<'a>) -> Result<[Ran; N]> + Send,
) -> Result<(Ran, [Ran; N])> {
    let given_up = suite.given_up.clone();
    other.given_up.clone_from(&given_up);
    let both = std::thread::scope(|scope| {
        let second = scope.spawn(|| of_other(other));
        let first = of_suite(suite);
        let second = second.join().unwrap_or_else(|_| Err(Error::bug("A thread that runs the tests panicked.")));
        // Whether they can run at all is told by a run that has the machine for itself.
        let second = match second {
            Err(error) if !error.ends_run() => [(); N].map(|()| (Outcomes::new(), None)),
            second => second?,
        };
        Ok((first?, second))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;
    use crate::jvm::protocol::Finished;

    /// Four tests of two classes, which took this long.
    fn shared(took: [u64; 4], left: &[usize]) -> usize {
        let test = |id: &str| Test { id: id.into(), name: id.into(), class: "ATest".into(), recipe: RecipeId(0) };
        let all = ["ATest/a", "ATest/b", "BTest/a", "BTest/b"].map(test);
        let finished = |(number, nanoseconds)| Finished { nanoseconds, ..Finished::passed(number, &[]) };
        let first = (0..).zip(took).map(finished).map(|one| (one.number as usize, one)).collect();
        share(&all, &[0, 1, 2, 3], left, &first)
    }

    #[test]
    fn each_jvm_runs_half_of_what_is_left_and_whole_classes() {
        assert_eq!(shared([5, 5, 5, 5], &[]), 2);
        assert_eq!(shared([5, 5, 5, 5], &[3]), 4, "the other one has to come to an end first");
        assert_eq!(shared([9, 9, 1, 1], &[]), 2);
        assert_eq!(shared([1, 1, 9, 9], &[]), 4);
    }
}
