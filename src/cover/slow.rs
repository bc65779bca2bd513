//! From what tests take on the original code to those that stand behind all others, because they take far longer than what is like them.

use super::set_up::method;
use super::{Outcomes, Test};
use crate::jvm::protocol::Finished;
use std::collections::{BTreeMap, BTreeSet};

/// What a slow test takes is no less than so many times what the slowest of the others takes …
const GAP: u64 = 3;
/// … and at least so much, in nanoseconds …
#[derive(Clone, Copy)]
pub(super) struct Least {
    /// … held against other invocations of the same test …
    pub(super) of_test: u64,
    /// … or against the other tests of its class …
    pub(super) of_class: u64,
}
/// … by CPU time, or by the clock, which tells more of what else the machine does, so many times that.
const BY_THE_CLOCK: u64 = 4;

/// In each of three runs.
const LEAST: Least = Least { of_test: 100_000_000, of_class: 500_000_000 };

/// What a test has taken, in nanoseconds of CPU time.
pub(super) fn weight(finished: &Finished) -> u64 {
    finished.cpu_nanoseconds.max(finished.nanoseconds / BY_THE_CLOCK)
}

/// Of `ran` (numbers of tests), the places in it of those that are slow in each run; sorted. Times vary, and which tests are asked first shows in the report:
/// so only what is far from all others counts, and less than half of these are slow. What was `spared` for being slow is.
pub(super) fn slow(tests: &[Test], ran: &[usize], runs: &[Outcomes], spared: &BTreeSet<u32>) -> Vec<usize> {
    let least = |test: usize| runs.iter().filter_map(|run| run.get(&test)).map(weight).min().unwrap_or(0);
    let mut numbers: BTreeSet<usize> = far_behind(tests, ran, least, LEAST);
    numbers.extend(spared.iter().map(|test| *test as usize));
    (0..ran.len()).filter(|place| ran.get(*place).is_some_and(|test| numbers.contains(test))).collect()
}

/// Of `ran`, the numbers of the tests that are far behind all others of their kind by this weight.
pub(super) fn far_behind(
    tests: &[Test],
    ran: &[usize],
    weight: impl Fn(usize) -> u64,
    least: Least,
) -> BTreeSet<usize> {
    let mut by_test: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    let mut by_class: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    for test in ran {
        if let Some(known) = tests.get(*test) {
            let weighed = (weight(*test), *test);
            by_test.entry(method(known)).or_default().push(weighed);
            by_class.entry(&known.class).or_default().push(weighed);
        }
    }
    let of_tests = by_test.into_values().flat_map(|kind| behind_gap(kind, least.of_test));
    let of_classes = by_class.into_values().flat_map(|kind| behind_gap(kind, least.of_class));
    of_tests.chain(of_classes).collect()
}

/// Those behind the first gap among those that take more than most.
fn behind_gap(mut kind: Vec<(u64, usize)>, least: u64) -> Vec<usize> {
    kind.sort_unstable();
    let is_gap = |pair: &[(u64, usize)]| match pair {
        [(below, _), (above, _)] => *above >= least && *above >= below.saturating_mul(GAP),
        _ => false,
    };
    let middle = kind.len() / 2;
    let gap = kind.windows(2).skip(middle).position(is_gap);
    gap.map_or_else(Vec::new, |gap| kind.iter().skip(middle + gap + 1).map(|(_, test)| *test).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;

    const SECOND: u64 = 1_000_000_000;
    const QUICK: (u64, u64) = (SECOND / 100, SECOND / 100);

    /// CPU time and time by the clock of these tests, in each run.
    fn slow_of(name: impl Fn(usize) -> String, runs: &[&[(u64, u64)]]) -> Vec<usize> {
        let test = |number: usize| Test {
            id: number.to_string(),
            name: name(number),
            class: "ATest".into(),
            recipe: RecipeId(0),
        };
        let outcomes = |times: &[(u64, u64)]| {
            let finished = (0..).zip(times).map(|(number, (cpu_nanoseconds, nanoseconds))| Finished {
                cpu_nanoseconds: *cpu_nanoseconds,
                nanoseconds: *nanoseconds,
                ..Finished::passed(number, &[])
            });
            finished.map(|finished| (finished.number as usize, finished)).collect()
        };
        let count = runs[0].len();
        let runs: Vec<Outcomes> = runs.iter().map(|times| outcomes(times)).collect();
        slow(&(0..count).map(test).collect::<Vec<_>>(), &(0..count).collect::<Vec<_>>(), &runs, &BTreeSet::new())
    }

    fn invocations(runs: &[&[(u64, u64)]]) -> Vec<usize> {
        slow_of(|number| format!("ATest.t()[{number}]"), runs)
    }

    #[test]
    fn an_invocation_far_from_the_others_of_its_test_is_slow() {
        assert_eq!(invocations(&[&[QUICK, (SECOND, SECOND), QUICK]]), [1]);
        assert_eq!(invocations(&[&[(SECOND, SECOND), (0, 2 * SECOND), QUICK, QUICK, QUICK]]), [0, 1], "one waits");
        assert_eq!(invocations(&[&[QUICK, (0, SECOND / 3), QUICK]]), [0; 0], "the machine may have been busy");
        assert_eq!(invocations(&[&[QUICK, (SECOND / 11, SECOND / 11), QUICK]]), [0; 0], "nobody waits for that");
    }

    #[test]
    fn where_times_grow_step_by_step_or_most_are_long_nobody_stands_behind() {
        assert_eq!(invocations(&[&[QUICK, QUICK, (SECOND / 20, 0), (SECOND / 8, 0)]]), [0; 0]);
        assert_eq!(invocations(&[&[QUICK, (SECOND, 0), (SECOND, 0)]]), [0; 0]);
        assert_eq!(invocations(&[&[(SECOND, SECOND)]]), [0; 0]);
    }

    #[test]
    fn other_tests_of_the_class_are_less_like_it() {
        let tests = |slowest: u64| slow_of(|number| format!("ATest.t{number}()"), &[&[QUICK, (slowest, 0), QUICK]]);
        assert_eq!(tests(SECOND), [1]);
        assert_eq!(tests(SECOND / 3), [0; 0]);
    }

    #[test]
    fn what_the_first_one_sets_up_for_all_makes_it_not_slow() {
        let set_up = (SECOND, SECOND);
        assert_eq!(invocations(&[&[set_up, QUICK, QUICK], &[QUICK; 3], &[set_up, QUICK, QUICK]]), [0; 0]);
    }
}
