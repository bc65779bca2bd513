//! From classes that do otherwise while others rest, though nothing that they enter has changed, to what is known of them from then on.
//!
//! What one test leaves in the JDK or in a static field, another may find. Where a run of all shows that a class does with the others what it always did,
//! what it does without them says nothing: where it does just that again, its runs of before hold, and the others may rest.

use super::Test;
use super::again::{Before, Still, same, units};
use super::runs::{Run, Runs};
use crate::jvm::protocol::Finished;
use std::collections::BTreeMap;

/// What classes did while others rested, by top-level class: the engine's identifier of each test, and what was told of it.
pub type Strays = BTreeMap<String, Vec<(String, Finished)>>;

impl Before<'_> {
    /// Those that enter nothing changed and did otherwise, beyond what varied from one clean start to the other: something was missing.
    #[must_use]
    pub fn strays(&self, still: &Still, tests: &[Test], first: &Run) -> Strays {
        let changed = self.changed();
        let strays = still.others().filter(|class| !changed.contains(*class));
        strays.map(|class| (class.to_owned(), told_of(class, tests, first))).collect()
    }

    /// What is known by now of classes that stray: `strays`, where in the runs of `now` they did again what they did before, and of others that enter nothing
    /// changed what was known.
    #[must_use]
    pub fn known_strays(&self, strays: Strays, now: &Runs) -> Strays {
        let changed = self.changed();
        let first = |runs: &Runs, class: &str| told_of(class, &runs.tests, &runs.runs[0]);
        let does_again =
            |(class, _): &(String, Vec<(String, Finished)>)| is_same(&first(now, class), &first(self.runs, class));
        let mut known = self.runs.strays.clone();
        known.retain(|class, _| !changed.contains(class));
        known.extend(strays.into_iter().filter(does_again));
        known
    }

    /// Whether a class did now what it did before while others rested.
    #[must_use]
    pub fn has_strayed_so(&self, class: &str, tests: &[Test], finished: &[&Finished]) -> bool {
        let known = self.runs.strays.get(class);
        known.is_some_and(|known| is_same(known, &with_ids(tests, finished.iter().copied())))
    }
}

fn told_of(class: &str, tests: &[Test], run: &Run) -> Vec<(String, Finished)> {
    let units = units(tests, run).unwrap_or_default();
    let unit = units.iter().find(|(of, _)| *of == class);
    unit.map(|(_, finished)| with_ids(tests, finished.iter().copied())).unwrap_or_default()
}

fn with_ids<'a>(tests: &[Test], finished: impl Iterator<Item = &'a Finished>) -> Vec<(String, Finished)> {
    let id = |one: &Finished| tests.get(one.number as usize).map(|test| test.id.clone());
    finished.filter_map(|one| Some((id(one)?, one.clone()))).collect()
}

fn is_same(one: &[(String, Finished)], other: &[(String, Finished)]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|((id, one), (other_id, other))| id == other_id && same(one, other))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{MethodId, RecipeId};
    use crate::recipe::TestLoader;
    use std::collections::BTreeSet;

    /// Each test enters the method of its number.
    fn runs() -> Runs {
        let test =
            |class: &str| Test { id: class.into(), name: class.into(), class: class.into(), recipe: RecipeId(0) };
        let run = run(&[(0, 0), (1, 1), (2, 2)]);
        let tests = ["ATest", "BTest", "CTest"].map(test).into();
        Runs { tests, runs: [run.clone(), run.clone(), run], found: 3, ..Runs::default() }
    }

    fn run(entered: &[(u32, u32)]) -> Run {
        let finished = entered.iter().map(|(number, method)| Finished::passed(*number, &[*method])).collect();
        Run { finished, rest: Vec::new() }
    }

    /// After the body of this method was edited.
    fn before<T>(runs: &Runs, body: u32, of: impl FnOnce(&Before<'_>) -> T) -> T {
        let (bodies, classes) = (BTreeSet::from([MethodId(body)]), BTreeSet::new());
        of(&Before { loader: TestLoader::Isolated, runs, bodies: &bodies, classes: &classes, may_leave_out: true })
    }

    /// Classes that stray and classes that run again, when some rest, or none does.
    fn astray(runs: &Runs, body: u32, first: &Run, some_rest: bool) -> (Strays, Vec<usize>) {
        before(runs, body, |before| {
            let still = before.still(&runs.tests, first, some_rest).unwrap();
            (before.strays(&still, &runs.tests, first), still.open(&runs.tests, &[0, 1, 2]))
        })
    }

    #[test]
    fn what_a_class_does_without_others_says_nothing_once_it_is_known() {
        let mut then = runs();
        // `ATest` rests, and `BTest` enters another method.
        let without = run(&[(0, 0), (1, 7), (2, 2)]);
        let (strays, open) = astray(&then, 2, &without, true);
        assert_eq!((strays.keys().map(String::as_str).collect(), open), (vec!["BTest"], vec![1, 2]));
        then.strays = before(&then, 2, |before| before.known_strays(strays, &runs()));
        assert_eq!(astray(&then, 2, &without, true), (Strays::new(), vec![2]));
        // Where it does something else, or none rests, it runs again; so it does where an edit reaches it.
        let (strays, open) = astray(&then, 2, &run(&[(0, 0), (1, 8), (2, 2)]), true);
        assert_eq!((strays.len(), open), (1, vec![1, 2]));
        assert_eq!(astray(&then, 2, &without, false).1, [1, 2]);
        assert_eq!(astray(&then, 1, &without, true).1, [1]);
        assert_eq!(before(&then, 1, |before| before.known_strays(Strays::new(), &runs())), Strays::new());
    }

    #[test]
    fn nothing_is_known_of_a_class_that_does_otherwise_with_the_others_too() {
        let then = runs();
        let (strays, _) = astray(&then, 2, &run(&[(0, 0), (1, 7), (2, 2)]), true);
        let mut now = runs();
        now.runs[0].finished[1].entered = vec![9];
        assert_eq!(before(&then, 2, |before| before.known_strays(strays, &now)), Strays::new());
    }
}
