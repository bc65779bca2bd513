//! From the first run of the tests to a run from another clean start that follows it in another JVM, class by class: the core that would be idle meanwhile
//! makes that, and by then it is known of a class which of its tests take too long to run again.

use super::runs::joined;
use super::spared::spared;
use super::suite::Suite;
use super::twice::{Ran, outcome, run};
use super::{Outcomes, Test};
use crate::base::error::{Error, Result};
use crate::jvm::protocol::Finished;
use crate::recipe::Engine;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// Whether the engine runs one class after the other, each by itself, so that it makes no difference which of them a request asks for.
pub(super) fn may_follow(engine: Engine) -> bool {
    matches!(engine, Engine::JUnit3 | Engine::JUnit4)
}

/// The JVM that has followed, and how far it has come.
pub(super) struct Follower<'a> {
    pub(super) suite: Suite<'a>,
    /// In this order.
    pub(super) tests: Vec<usize>,
    pub(super) ran: Ran,
}

impl<'a> Follower<'a> {
    /// That has run nothing yet.
    pub(super) fn new(suite: Suite<'a>) -> Self {
        Self { suite, tests: Vec::new(), ran: joined([]) }
    }

    /// Whether it has to run what is left of `tests`, and nothing else, for what a single run of them tells.
    pub(super) fn has_begun(&self, tests: &[usize]) -> bool {
        is_beginning(&self.suite.tests, &self.tests, tests)
    }
}

/// Whether `done` are the first of these tests, and whole classes of them.
fn is_beginning(all: &[Test], done: &[usize], tests: &[usize]) -> bool {
    let next = done.last().zip(tests.get(done.len()));
    tests.starts_with(done) && next.is_none_or(|(last, next)| !is_of_same_class(all, *last, *next))
}

/// Runs `tests` from a clean start. `None` where the follower did otherwise, or did not come to an end by itself.
pub(super) fn first_run<'a>(suite: &mut Suite<'a>, tests: &[usize]) -> Result<(Outcomes, Option<Follower<'a>>)> {
    let (other, has_ended) = (suite.other(), AtomicBool::new(false));
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(other, tests, receiver, &has_ended));
        let first = suite.run_telling(tests, true, &mut |finished| drop(sender.send(finished.clone())));
        has_ended.store(true, Ordering::Relaxed);
        drop(sender);
        let follower = follower.join().map_err(|_| Error::bug("A thread that runs the tests panicked."))?;
        Ok((first?, follower))
    })
}

/// The tests of each class that is asked for; what is behind the first `/` of an identifier is the test.
pub(super) fn by_class<'t>(all: &[Test], tests: &'t [usize]) -> impl Iterator<Item = &'t [usize]> {
    tests.chunk_by(|one, other| is_of_same_class(all, *one, *other))
}

/// Whether the same request for a class runs both.
fn is_of_same_class(all: &[Test], one: usize, other: usize) -> bool {
    let class = |test: usize| all.get(test).and_then(|test| test.id.split('/').next());
    class(one) == class(other)
}

fn follow<'a>(
    mut suite: Suite<'a>,
    all: &[usize],
    told: Receiver<Finished>,
    has_ended: &AtomicBool,
) -> Option<Follower<'a>> {
    let known = suite.tests.len();
    let classes: Vec<&[usize]> = by_class(&suite.tests, all).collect();
    let (mut first, mut tests, mut parts) = (Outcomes::new(), Vec::new(), Vec::new());
    let mut classes = classes.into_iter().peekable();
    for finished in told {
        if has_ended.load(Ordering::Relaxed) {
            break;
        }
        let number = finished.number as usize;
        first.insert(number, finished);
        // A class has come to its end when another one has begun.
        let is_behind =
            |class: &&[usize]| !class.contains(&number) && class.iter().all(|test| first.contains_key(test));
        let Some(class) = classes.next_if(is_behind) else { continue };
        let slow = spared(&suite.tests, class, &first);
        let few: Vec<usize> = class.iter().copied().filter(|test| !slow.contains(test)).collect();
        if few.is_empty() {
            continue;
        }
        let ran = run(&mut suite, &few, tests.is_empty()).ok()?;
        let is_same = few.iter().all(|test| outcome(&ran.0, *test) == outcome(&first, *test));
        if ran.1.is_none() || !is_same || suite.tests.len() != known {
            return None;
        }
        tests.extend(few);
        parts.push(ran);
    }
    Some(Follower { suite, tests, ran: joined(parts) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;

    fn tests() -> Vec<Test> {
        let test = |id: &str| Test { id: id.into(), name: id.into(), class: id.into(), recipe: RecipeId(0) };
        ["ATest/a(ATest)#1", "ATest/b(ATest)#1", "BTest/a(BTest)#1", "ATest$In/a(ATest$In)#1"].map(test).to_vec()
    }

    #[test]
    fn what_is_asked_for_by_the_name_of_a_class_stays_together() {
        assert_eq!(by_class(&tests(), &[0, 1, 2, 3]).collect::<Vec<_>>(), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(by_class(&tests(), &[0, 2, 1]).collect::<Vec<_>>(), [[0], [2], [1]]);
    }

    #[test]
    fn who_has_run_what_is_not_asked_for_or_part_of_a_class_begins_anew() {
        let goes_on = |done: &[usize], asked: &[usize]| is_beginning(&tests(), done, asked);
        assert!(goes_on(&[0, 1], &[0, 1, 2]) && goes_on(&[0, 1], &[0, 1]) && goes_on(&[], &[0]));
        assert!(!goes_on(&[0], &[0, 1, 2]), "another test of its class turned out not to be slow");
        assert!(!goes_on(&[0, 1], &[0, 2]), "this one turned out to be");
    }
}
