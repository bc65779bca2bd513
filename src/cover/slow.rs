//! From what tests take on the original code to those that stand behind all others, because they take far longer than what is like them.

use super::set_up::method;
use super::{Outcomes, Test};
use crate::jvm::protocol::Finished;
use std::collections::{BTreeMap, BTreeSet};

/// What a slow test takes in each run is no less than so many times what the slowest of the others takes …
const GAP: u64 = 4;
/// … and at least so many nanoseconds of CPU time, held against other invocations of the same test …
const LEAST_OF_TEST: u64 = 100_000_000;
/// … or against the other tests of its class …
const LEAST_OF_CLASS: u64 = 500_000_000;
/// … or so many times that by the clock, which tells more of what else the machine does.
const BY_THE_CLOCK: u64 = 4;

/// Of `ran` (numbers of tests), the places in it of those that are slow; sorted. Times vary, and which tests are asked first shows in the report: so only
/// what is far from all others counts, and less than half of these are slow.
pub(super) fn slow(tests: &[Test], ran: &[usize], runs: &[Outcomes]) -> Vec<usize> {
    let weight = |finished: &Finished| finished.cpu_nanoseconds.max(finished.nanoseconds / BY_THE_CLOCK);
    let mut by_test: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    let mut by_class: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    for (place, test) in ran.iter().enumerate() {
        let least = runs.iter().filter_map(|run| run.get(test)).map(weight).min().unwrap_or(0);
        if let Some(known) = tests.get(*test) {
            by_test.entry(method(known)).or_default().push((least, place));
            by_class.entry(&known.class).or_default().push((least, place));
        }
    }
    let of_tests = by_test.into_values().flat_map(|kind| far_behind(kind, LEAST_OF_TEST));
    let of_classes = by_class.into_values().flat_map(|kind| far_behind(kind, LEAST_OF_CLASS));
    of_tests.chain(of_classes).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Places behind the first gap among those that take more than most.
fn far_behind(mut kind: Vec<(u64, usize)>, least: u64) -> Vec<usize> {
    kind.sort_unstable();
    let is_gap = |pair: &[(u64, usize)]| match pair {
        [(below, _), (above, _)] => *above >= least && *above >= below.saturating_mul(GAP),
        _ => false,
    };
    let middle = kind.len() / 2;
    let gap = kind.windows(2).skip(middle).position(is_gap);
    gap.map_or_else(Vec::new, |gap| kind.iter().skip(middle + gap + 1).map(|(_, place)| *place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const QUICK: (u64, u64) = (SECOND / 100, SECOND / 100);

    /// CPU time and time by the clock of these tests, in each run.
    fn slow_of(name: impl Fn(usize) -> String, runs: &[&[(u64, u64)]]) -> Vec<usize> {
        let test =
            |number: usize| Test { id: number.to_string(), name: name(number), class: "ATest".into(), recipe: 0 };
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
        slow(&(0..count).map(test).collect::<Vec<_>>(), &(0..count).collect::<Vec<_>>(), &runs)
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
        assert_eq!(invocations(&[&[QUICK, QUICK, (SECOND / 20, 0), (SECOND / 6, 0)]]), [0; 0]);
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
