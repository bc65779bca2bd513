//! Finds slow tests: those that take far longer than similar tests. All other tests are asked first.

use super::coverage::Test;
use super::run_log::Results;
use crate::base::id::{IdSlice, TestId};
use crate::jvm::protocol::Finished;
use std::collections::{BTreeMap, BTreeSet};

/// A slow test takes at least this many times as long as the slowest of the others.
const GAP: u64 = 3;

/// The least time of a slow test, in nanoseconds of CPU time.
#[derive(Clone, Copy)]
pub(crate) struct SlowThreshold {
    /// When compared with other invocations of the same test.
    pub(crate) among_invocations: u64,
    /// When compared with the other tests of its class.
    pub(crate) within_class: u64,
}

/// Wall time counts as this fraction of CPU time, because it depends more on what else the machine does.
const WALL_TIME_DIVISOR: u64 = 4;

/// The threshold in each of three runs.
const IN_EACH_RUN: SlowThreshold = SlowThreshold { among_invocations: 100_000_000, within_class: 500_000_000 };

/// The time that a test took, in nanoseconds of CPU time.
pub(crate) fn duration(result: &Finished) -> u64 {
    result.cpu_nanoseconds.max(result.nanoseconds / WALL_TIME_DIVISOR)
}

/// The positions in `ran` of the tests that are slow in each run; sorted. Tests in `run_once` are slow.
///
/// Times vary, and which tests are asked first shows in the report. So only tests far from all others count, and less
/// than half of the similar tests.
pub(crate) fn slow_positions(
    tests: &IdSlice<TestId, Test>,
    ran: &IdSlice<TestId, TestId>,
    runs: &[Results],
    run_once: &BTreeSet<TestId>,
) -> Vec<TestId> {
    let shortest = |test: TestId| runs.iter().filter_map(|run| run.get(&test)).map(duration).min().unwrap_or(0);
    let mut slow: BTreeSet<TestId> = slow_tests(tests, ran.as_raw_slice(), shortest, IN_EACH_RUN);
    slow.extend(run_once);
    ran.iter_enumerated().filter(|(_, test)| slow.contains(test)).map(|(position, _)| position).collect()
}

/// The tests among `ran` that take far longer than all similar tests.
pub(crate) fn slow_tests(
    tests: &IdSlice<TestId, Test>,
    ran: &[TestId],
    duration: impl Fn(TestId) -> u64,
    threshold: SlowThreshold,
) -> BTreeSet<TestId> {
    let mut by_method: BTreeMap<&str, Vec<Timed>> = BTreeMap::new();
    let mut by_class: BTreeMap<&str, Vec<Timed>> = BTreeMap::new();
    for number in ran {
        let Some(test) = tests.get(*number) else { continue };
        let timed = Timed { duration: duration(*number), test: *number };
        by_method.entry(test.method()).or_default().push(timed);
        by_class.entry(&test.class).or_default().push(timed);
    }
    let of_methods = by_method.into_values().flat_map(|similar| after_gap(similar, threshold.among_invocations));
    let of_classes = by_class.into_values().flat_map(|similar| after_gap(similar, threshold.within_class));
    of_methods.chain(of_classes).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Timed {
    duration: u64,
    test: TestId,
}

/// The tests after the first large gap in the slower half.
fn after_gap(mut similar: Vec<Timed>, threshold: u64) -> Vec<TestId> {
    similar.sort_unstable();
    let is_gap = |pair: &[Timed]| match pair {
        [below, above] => above.duration >= threshold && above.duration >= below.duration.saturating_mul(GAP),
        _ => false,
    };
    let middle = similar.len() / 2;
    let gap = similar.windows(2).skip(middle).position(is_gap);
    gap.map_or_else(Vec::new, |gap| similar.iter().skip(middle + gap + 1).map(|timed| timed.test).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{IdVec, RecipeId};

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
        let results = |times: &[(u64, u64)]| {
            let finished = (0..).zip(times).map(|(number, (cpu_nanoseconds, nanoseconds))| Finished {
                cpu_nanoseconds: *cpu_nanoseconds,
                nanoseconds: *nanoseconds,
                ..Finished::passed(number, &[])
            });
            finished.map(|finished| (finished.number, finished)).collect()
        };
        let count = runs[0].len();
        let runs: Vec<Results> = runs.iter().map(|times| results(times)).collect();
        let tests: IdVec<TestId, Test> = (0..count).map(test).collect();
        let ran: IdVec<TestId, TestId> = tests.indices().collect();
        let slow = slow_positions(&tests, &ran, &runs, &BTreeSet::new());
        slow.into_iter().map(TestId::index).collect()
    }

    fn invocations(runs: &[&[(u64, u64)]]) -> Vec<usize> {
        slow_of(|number| format!("ATest.t()[{number}]"), runs)
    }

    #[test]
    fn an_invocation_far_from_the_others_of_its_test_is_slow() {
        assert_eq!(invocations(&[&[QUICK, (SECOND, SECOND), QUICK]]), [1]);
        assert_eq!(invocations(&[&[(SECOND, SECOND), (0, 2 * SECOND), QUICK, QUICK, QUICK]]), [0, 1], "one waits");
        assert_eq!(invocations(&[&[QUICK, (0, SECOND / 3), QUICK]]), [0; 0], "the machine may have been busy");
        assert_eq!(invocations(&[&[QUICK, (SECOND / 11, SECOND / 11), QUICK]]), [0; 0], "too short to matter");
    }

    #[test]
    fn no_test_is_slow_if_times_grow_step_by_step_or_most_are_long() {
        assert_eq!(invocations(&[&[QUICK, QUICK, (SECOND / 20, 0), (SECOND / 8, 0)]]), [0; 0]);
        assert_eq!(invocations(&[&[QUICK, (SECOND, 0), (SECOND, 0)]]), [0; 0]);
        assert_eq!(invocations(&[&[(SECOND, SECOND)]]), [0; 0]);
    }

    #[test]
    fn other_tests_of_the_class_are_less_similar() {
        let tests = |slowest: u64| slow_of(|number| format!("ATest.t{number}()"), &[&[QUICK, (slowest, 0), QUICK]]);
        assert_eq!(tests(SECOND), [1]);
        assert_eq!(tests(SECOND / 3), [0; 0]);
    }

    #[test]
    fn set_up_for_all_tests_does_not_make_the_first_one_slow() {
        let set_up = (SECOND, SECOND);
        assert_eq!(invocations(&[&[set_up, QUICK, QUICK], &[QUICK; 3], &[set_up, QUICK, QUICK]]), [0; 0]);
    }
}
