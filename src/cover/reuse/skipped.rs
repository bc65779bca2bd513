//! Decides which test classes and tests need not run at all, and completes the run of the others.
//!
//! A class may be skipped if it did the same in all three runs, whatever ran before it, enters no changed method, does
//! nothing only once, and does not change what all tests of a JVM share. A skipped class may have been the first to
//! initialise something, which another class does now; comparing what the others do shows that.

use super::earlier_runs::EarlierRuns;
use super::reusable::ReusableResults;
use crate::base::id::{IdSlice, MethodId, TestId};
use crate::cover::coverage::Test;
use crate::cover::run_log::{ClassRun, RunLog, copy_entered_before, is_same_result};
use crate::jvm::protocol::{Finished, FoundTest};
use std::collections::{BTreeSet, HashMap};

/// One earlier run, split into classes.
struct SplitRun<'a> {
    log: &'a RunLog,
    classes: Vec<ClassRun<'a>>,
}

impl<'a> SplitRun<'a> {
    fn new(tests: &'a IdSlice<TestId, Test>, log: &'a RunLog) -> Option<Self> {
        Some(Self { log, classes: log.classes(tests)? })
    }

    fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.classes.iter().map(|run| run.class)
    }

    fn results(&self, position: usize) -> &[&'a Finished] {
        self.classes.get(position).map_or(&[], |run| &run.results)
    }

    /// Methods entered after the class at this position.
    fn entered_after(&self, position: usize) -> Vec<MethodId> {
        self.classes.get(position + 1).map_or_else(|| self.log.entered_after.clone(), ClassRun::entered_before)
    }
}

impl EarlierRuns<'_> {
    /// Top-level classes that need not run. `found` are the tests of now.
    pub(crate) fn skippable_classes(&self, found: &[FoundTest]) -> BTreeSet<String> {
        let earlier = self.runs.tests.iter().take(self.runs.found).map(|test| &test.id);
        let has_same_tests = earlier.eq(found.iter().map(|test| &test.id));
        if !has_same_tests || !self.reached_disturbing_classes().is_empty() {
            return BTreeSet::new();
        }
        self.classes_always_the_same().unwrap_or_default()
    }

    /// Classes that no edit reaches and that did the same in all runs, without those next to a class with an edit if
    /// anything happens between the two. `None` if the classes had different orders.
    fn classes_always_the_same(&self) -> Option<BTreeSet<String>> {
        let tests = &self.runs.tests;
        let [first, again, clean] = &self.runs.logs;
        let first = SplitRun::new(tests, first)?;
        let others = [SplitRun::new(tests, again)?, SplitRun::new(tests, clean)?];
        if !others.iter().all(|other| other.names().eq(first.names())) {
            return None;
        }
        let (reached, disturbing) = (self.classes_reached(), self.disturbing_classes());
        let is_reached = |position: Option<usize>| {
            position.and_then(|position| first.classes.get(position)).is_some_and(|run| reached.contains(run.class))
        };
        let mut skippable = BTreeSet::new();
        for (position, run) in first.classes.iter().enumerate() {
            if reached.contains(run.class) || disturbing.contains(run.class) || !self.was_found_before_run(run) {
                continue;
            }
            let entered_after = first.entered_after(position);
            let is_same_in = |other: &SplitRun<'_>| {
                are_same(&run.results, other.results(position)) && other.entered_after(position) == entered_after
            };
            if !others.iter().all(is_same_in) {
                continue;
            }
            let has_unclear_start = is_reached(position.checked_sub(1)) && !run.entered_before().is_empty();
            let has_unclear_end = is_reached(Some(position + 1)) && !entered_after.is_empty();
            if !has_unclear_start && !has_unclear_end {
                skippable.insert(run.class.to_owned());
            }
        }
        keep_separators(&first, &reached, &mut skippable);
        Some(skippable)
    }

    /// Whether all tests of the class were found before any test ran. An invocation that only the run finds gets its
    /// number there.
    fn was_found_before_run(&self, run: &ClassRun<'_>) -> bool {
        run.results.iter().all(|result| result.number.index() < self.runs.found)
    }

    /// Slow tests that need not run although their class does, by their numbers, which have not changed. They ran only
    /// once, no edit reaches their class, and the other tests of the class did the same from a clean start without them.
    pub(crate) fn skippable_tests(&self, skipped_classes: &BTreeSet<String>) -> BTreeSet<TestId> {
        let [first, _, clean] = &self.runs.logs;
        // If no class is skipped, the tests found now may be different ones.
        if skipped_classes.is_empty() {
            return BTreeSet::new();
        }
        let Some((first, clean)) = first.classes(&self.runs.tests).zip(clean.classes(&self.runs.tests)) else {
            return BTreeSet::new();
        };
        let clean: HashMap<&str, Vec<&Finished>> = clean.into_iter().map(|run| (run.class, run.results)).collect();
        let (reached, disturbing) = (self.classes_reached(), self.disturbing_classes());
        let mut skippable = BTreeSet::new();
        for run in &first {
            let class = run.class;
            let is_same = clean.get(class).is_some_and(|clean| have_same_numbers_and_results(&run.results, clean));
            let is_untouched = !reached.contains(class) && !disturbing.contains(class);
            if skipped_classes.contains(class) || !self.was_found_before_run(run) || !is_same || !is_untouched {
                continue;
            }
            // The first test reports what happens before its class.
            let others = run.results.iter().skip(1).map(|result| result.number);
            skippable.extend(others.filter(|number| self.runs.run_once.contains(number)));
        }
        skippable
    }

    /// Completes `part`, a run without the `skipped` classes, with their earlier results. `None` if something unknown
    /// happens between two classes, or if a class disturbs other tests now but did not earlier, or the reverse.
    pub(crate) fn complete_first_run(
        &self,
        skipped: &BTreeSet<String>,
        tests: &IdSlice<TestId, Test>,
        part: &RunLog,
    ) -> Option<RunLog> {
        let earlier = &self.runs.logs[0];
        let (order, ran) = (earlier.classes(&self.runs.tests)?, part.classes(tests)?);
        let expected = order.iter().map(|run| run.class).filter(|class| !skipped.contains(*class));
        if !expected.eq(ran.iter().map(|run| run.class)) {
            return None;
        }
        let mut whole = WholeRun::new(self.classes_reached());
        let mut ran = ran.into_iter();
        for run in &order {
            if skipped.contains(run.class) {
                whole.add_skipped(run);
            } else {
                whole.add(run, &ran.next()?)?;
            }
        }
        whole.end(&earlier.entered_after, &part.entered_after)
    }

    /// Whether a test does something only the first time that it did not do earlier, or the reverse; methods that varied
    /// between two clean starts do not count. Then a skipped class used to initialise it, or this class did.
    pub(crate) fn misses_initialisation(
        &self,
        reusable: &ReusableResults,
        tests: &IdSlice<TestId, Test>,
        first: &RunLog,
        again: &RunLog,
    ) -> bool {
        let [earlier_first, earlier_again, _] = &self.runs.logs;
        let earlier = methods_entered_once(&self.runs.tests, earlier_first, earlier_again);
        let now = methods_entered_once(tests, first, again);
        let varying = self.varying_methods();
        let stable_methods = |entered_once: &HashMap<&str, BTreeSet<MethodId>>, id: &str| -> BTreeSet<MethodId> {
            let varies = |method: &MethodId| varying.get(id).is_some_and(|varying| varying.contains(method));
            entered_once.get(id).into_iter().flatten().copied().filter(|method| !varies(method)).collect()
        };
        let to_rerun = tests.iter().filter(|test| !reusable.holds(test.top_level_class()));
        to_rerun.map(|test| test.id.as_str()).any(|id| stable_methods(&now, id) != stable_methods(&earlier, id))
    }
}

/// A run of all tests under construction, from results of now and earlier results of skipped classes.
struct WholeRun {
    /// Top-level classes that an edit reaches.
    reached: BTreeSet<String>,
    log: RunLog,
    /// Methods that earlier runs entered around the skipped classes after the last class that ran, if there are any.
    entered_around_skipped: Option<BTreeSet<MethodId>>,
    /// Whether an edit reaches the last class that ran.
    is_last_reached: bool,
}

impl WholeRun {
    fn new(reached: BTreeSet<String>) -> Self {
        Self { reached, log: RunLog::default(), entered_around_skipped: None, is_last_reached: false }
    }

    fn add_skipped(&mut self, earlier: &ClassRun<'_>) {
        self.entered_around_skipped.get_or_insert_default().extend(earlier.entered_before());
        self.log.finished.extend(earlier.results.iter().map(|result| (*result).clone()));
    }

    fn add(&mut self, earlier: &ClassRun<'_>, now: &ClassRun<'_>) -> Option<()> {
        if earlier.disturbs() != now.disturbs() {
            return None;
        }
        let is_reached = self.reached.contains(earlier.class);
        let mut results: Vec<Finished> = now.results.iter().map(|result| (*result).clone()).collect();
        if let Some(mut known) = self.entered_around_skipped.take() {
            known.extend(earlier.entered_before());
            let entered = now.entered_before();
            let is_known = entered.iter().all(|method| known.contains(method));
            let is_unclear = !entered.is_empty() && (self.is_last_reached || is_reached);
            if !is_known || is_unclear {
                return None;
            }
            copy_entered_before(earlier.results.first()?, results.first_mut()?, |_| true);
        }
        self.is_last_reached = is_reached;
        self.log.finished.extend(results);
        Some(())
    }

    fn end(mut self, earlier: &[MethodId], now: &[MethodId]) -> Option<RunLog> {
        self.log.entered_after = now.to_vec();
        if let Some(mut known) = self.entered_around_skipped {
            known.extend(earlier);
            let is_known = now.iter().all(|method| known.contains(method));
            let is_unclear = !now.is_empty() && self.is_last_reached;
            if !is_known || is_unclear {
                return None;
            }
            self.log.entered_after = earlier.to_vec();
        }
        Some(self.log)
    }
}

/// Makes a class run that would otherwise be skipped, if it separates two classes that run, an edit reaches one of them,
/// and something happens before the second. Without it, nothing would show to which of the two that belongs. The end of
/// the run counts as a second class.
fn keep_separators(first: &SplitRun<'_>, reached: &BTreeSet<String>, skippable: &mut BTreeSet<String>) {
    for position in (1..=first.classes.len()).rev() {
        let this = first.classes.get(position);
        let mut previous = first.classes.iter().take(position).rev().map(|run| run.class);
        let Some(separator) = previous.next().filter(|class| skippable.contains(*class)) else { continue };
        let entered = this.map_or_else(|| first.log.entered_after.clone(), ClassRun::entered_before);
        let last_that_runs = previous.find(|class| !skippable.contains(*class));
        let is_unclear =
            [this.map(|run| run.class), last_that_runs].into_iter().flatten().any(|class| reached.contains(class));
        let this_runs = this.is_none_or(|run| !skippable.contains(run.class));
        if !entered.is_empty() && is_unclear && this_runs {
            skippable.remove(separator);
        }
    }
}

fn are_same(left: &[&Finished], right: &[&Finished]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same_result(left, right))
}

fn have_same_numbers_and_results(left: &[&Finished], right: &[&Finished]) -> bool {
    are_same(left, right) && left.iter().zip(right).all(|(left, right)| left.number == right.number)
}

/// By the identifier of each test: methods that it entered in the first run, but not again, if there are any. Methods
/// entered between two classes do not count.
fn methods_entered_once<'a>(
    tests: &'a IdSlice<TestId, Test>,
    first: &RunLog,
    again: &RunLog,
) -> HashMap<&'a str, BTreeSet<MethodId>> {
    let again = methods_within_classes(tests, again);
    let mut entered_once = HashMap::new();
    for (number, first) in methods_within_classes(tests, first) {
        let Some((test, again)) = tests.get(number).zip(again.get(&number)) else { continue };
        let methods: BTreeSet<MethodId> = first.difference(again).copied().collect();
        if !methods.is_empty() {
            entered_once.insert(test.id.as_str(), methods);
        }
    }
    entered_once
}

/// Methods entered in each test, or before it and after another test of its class.
fn methods_within_classes(tests: &IdSlice<TestId, Test>, log: &RunLog) -> HashMap<TestId, BTreeSet<MethodId>> {
    let mut methods: HashMap<TestId, BTreeSet<MethodId>> = HashMap::new();
    let mut previous = None;
    for result in &log.finished {
        let class = tests.get(result.number).map(Test::top_level_class);
        let entered = methods.entry(result.number).or_default();
        if !result.of_class {
            entered.extend(&result.entered);
        }
        if class == previous {
            entered.extend(&result.set_up);
        }
        previous = class;
    }
    methods
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{IdVec, MethodId, RecipeId};
    use crate::cover::recorded_runs::RecordedRuns;
    use crate::cover::reuse::earlier_runs::after_edit;

    /// `ATest` initialises what all need (9), `BTest` to `DTest` do the same each time. Each enters the method of its
    /// number.
    const TESTS: [&str; 4] = ["ATest.a", "BTest.a", "CTest.a", "DTest.a"];

    fn tests() -> IdVec<TestId, Test> {
        let class = |name: &str| name.split('.').next().unwrap().to_owned();
        TESTS
            .map(|name| Test { id: name.into(), name: name.into(), class: class(name), recipe: RecipeId(0) })
            .into_iter()
            .collect()
    }

    fn log(finished: &[(u32, &[u32])]) -> RunLog {
        let finished = finished.iter().map(|(number, entered)| Finished::passed(*number, entered)).collect();
        RunLog { finished, entered_after: Vec::new() }
    }

    fn runs() -> RecordedRuns {
        let first = log(&[(0, &[0, 9]), (1, &[1]), (2, &[2]), (3, &[3])]);
        let again = log(&[(0, &[0]), (1, &[1]), (2, &[2]), (3, &[3])]);
        RecordedRuns { tests: tests(), logs: [first.clone(), again, first], found: 4, ..RecordedRuns::default() }
    }

    fn found() -> Vec<FoundTest> {
        tests().into_iter().map(|Test { id, name, class, .. }| FoundTest { id, name, class }).collect()
    }

    fn skippable(runs: &RecordedRuns, method: u32, found: &[FoundTest]) -> String {
        after_edit(runs, &[method], &[], |earlier| earlier.skippable_classes(found))
            .into_iter()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn classes_with_the_same_results_each_time_that_no_edit_reaches_are_skipped() {
        assert_eq!(skippable(&runs(), 2, &found()), "BTest DTest");
        assert_eq!(skippable(&runs(), 0, &found()), "BTest CTest DTest");
        let mut varies = runs();
        varies.logs[2].finished[1].entered = vec![MethodId(1), MethodId(5)];
        assert_eq!(skippable(&varies, 2, &found()), "DTest");
    }

    #[test]
    fn a_class_that_disturbs_what_tests_share_runs() {
        let mut disturbs = runs();
        disturbs.logs[1].finished[1].disturbs = true;
        assert_eq!(skippable(&disturbs, 2, &found()), "DTest");
        assert_eq!(skippable(&disturbs, 1, &found()), "", "it may leave something different for all others");
    }

    #[test]
    fn a_slow_test_is_skipped_although_its_class_runs() {
        // `ATest.slow` runs after `ATest.a`, which initialises what all need.
        let mut runs = runs();
        runs.tests.push(Test {
            id: "ATest.slow".into(),
            name: "ATest.slow".into(),
            class: "ATest".into(),
            recipe: RecipeId(0),
        });
        runs.logs.iter_mut().for_each(|log| log.finished.insert(1, Finished::passed(4, &[3])));
        (runs.found, runs.run_once) = (5, BTreeSet::from([TestId(4)]));
        let skipped = BTreeSet::from(["BTest".to_owned()]);
        let skippable = |runs: &RecordedRuns, method: u32| {
            after_edit(runs, &[method], &[], |earlier| earlier.skippable_tests(&skipped))
                .into_iter()
                .map(|test| test.0)
                .collect::<Vec<u32>>()
        };
        assert_eq!(skippable(&runs, 2), [4]);
        assert_eq!(skippable(&runs, 3), [0; 0], "it enters what has changed");
        assert_eq!(after_edit(&runs, &[2], &[], |earlier| earlier.skippable_tests(&BTreeSet::new())), BTreeSet::new());
        let mut disturbs = runs.clone();
        disturbs.logs[0].finished[0].disturbs = true;
        assert_eq!(skippable(&disturbs, 2), [0; 0], "the class disturbs what tests share");
        let mut needed = runs.clone();
        needed.logs[2].finished[0].entered = vec![MethodId(0)];
        assert_eq!(skippable(&needed, 2), [0; 0], "another test has a different result without it");
        runs.logs.iter_mut().for_each(|log| log.finished.swap(0, 1));
        assert_eq!(skippable(&runs, 2), [0; 0], "it reports what happens before the class");
    }

    #[test]
    fn all_tests_run_if_different_tests_are_found() {
        assert_eq!(skippable(&runs(), 2, &found()[..3]), "");
        let mut more = found();
        more.push(FoundTest { id: "ETest.a".into(), ..more[0].clone() });
        assert_eq!(skippable(&runs(), 2, &more), "");
        // A test that only the run finds may come anywhere.
        assert_eq!(skippable(&RecordedRuns { found: 3, ..runs() }, 2, &found()[..3]), "BTest");
    }

    #[test]
    fn a_class_next_to_a_changed_one_runs_if_anything_happens_between_them() {
        let mut beside = runs();
        beside.logs.iter_mut().for_each(|log| log.finished[3].set_up = vec![MethodId(7)]);
        assert_eq!(skippable(&beside, 2, &found()), "BTest");
        assert_eq!(skippable(&beside, 1, &found()), "CTest DTest");
    }

    #[test]
    fn a_class_runs_if_it_separates_a_changed_class_from_one_before_which_something_happens() {
        let mut apart = runs();
        apart.logs.iter_mut().for_each(|log| log.finished[3].set_up = vec![MethodId(7)]);
        assert_eq!(skippable(&apart, 1, &found()), "CTest DTest", "only the changed class runs before it");
        // `DTest` runs, because it does something only once.
        apart.logs[0].finished[3].entered.push(MethodId(8));
        assert_eq!(skippable(&apart, 1, &found()), "");
        apart.logs.iter_mut().for_each(|log| log.finished[3].set_up.clear());
        assert_eq!(skippable(&apart, 1, &found()), "CTest");
        let mut behind = runs();
        behind.logs.iter_mut().for_each(|log| log.entered_after = vec![MethodId(6)]);
        assert_eq!(skippable(&behind, 2, &found()), "BTest");
        assert_eq!(skippable(&behind, 1, &found()), "CTest");
    }

    /// The run of all tests, completed from this run of `ATest` and `CTest` alone.
    fn whole(runs: &RecordedRuns, part: &RunLog) -> Option<RunLog> {
        let skipped = ["BTest", "DTest"].map(str::to_owned).into();
        after_edit(runs, &[2], &[], |earlier| earlier.complete_first_run(&skipped, &tests(), part))
    }

    #[test]
    fn the_whole_run_has_the_results_of_skipped_classes() {
        let part = log(&[(0, &[0, 9]), (2, &[2, 5])]);
        let all = log(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])]);
        assert_eq!(whole(&runs(), &part), Some(all));
        // A class disturbs what tests share.
        let mut disturbs = log(&[(0, &[0, 9]), (2, &[2, 5])]);
        disturbs.finished[1].disturbs = true;
        assert_eq!(whole(&runs(), &disturbs), None);
        // A different order.
        assert_eq!(whole(&runs(), &log(&[(2, &[2]), (0, &[0, 9])])), None);
    }

    #[test]
    fn between_two_classes_nothing_new_may_happen() {
        let mut before = runs();
        before.logs.iter_mut().for_each(|log| log.entered_after = vec![MethodId(6)]);
        let mut part = log(&[(0, &[0, 9]), (2, &[2])]);
        assert_eq!(whole(&before, &part).unwrap().entered_after, [MethodId(6)]);
        part.entered_after = vec![MethodId(6)];
        assert_eq!(whole(&before, &part), None, "after a changed class");
        part.entered_after = Vec::new();
        part.finished[1].set_up = vec![MethodId(4)];
        assert_eq!(whole(&before, &part), None);
    }

    #[test]
    fn initialisation_that_a_skipped_class_did_is_detected() {
        let runs = runs();
        let misses = |first: &[(u32, &[u32])], again: &[u32]| {
            let first = log(first);
            after_edit(&runs, &[2], &[], |earlier| {
                let reusable = earlier.reusable_results(&runs.tests, &first, true).unwrap();
                !earlier.order_dependent_classes(reusable.different_classes(), &runs.tests, &first).is_empty()
                    || earlier.misses_initialisation(&reusable, &runs.tests, &first, &log(&[(2, again)]))
            })
        };
        assert!(!misses(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])], &[2, 5]));
        // Only the first time: a class is initialised, perhaps instead of by a skipped test class.
        assert!(misses(&[(0, &[0, 9]), (1, &[1]), (2, &[2, 5]), (3, &[3])], &[2]));
        // Enters no changed method, and has a different result.
        assert!(misses(&[(0, &[0, 9, 5]), (1, &[1]), (2, &[2]), (3, &[3])], &[2]));
    }

    #[test]
    fn methods_that_varied_between_clean_starts_do_not_count_as_missing_initialisation() {
        let mut runs = runs();
        let misses = |runs: &RecordedRuns, first: &[(u32, &[u32])], again: &[(u32, &[u32])]| {
            let (first, again) = (log(first), log(again));
            after_edit(runs, &[2], &[], |earlier| {
                let reusable = earlier.reusable_results(&runs.tests, &first, true).unwrap();
                !earlier.order_dependent_classes(reusable.different_classes(), &runs.tests, &first).is_empty()
                    || earlier.misses_initialisation(&reusable, &runs.tests, &first, &again)
            })
        };
        // One of three runs entered method 5 in `ATest.a`; it is not entered now.
        runs.logs[0].finished[0].entered = vec![MethodId(0), MethodId(5), MethodId(9)];
        let now: &[(u32, &[u32])] = &[(0, &[0, 9]), (1, &[1]), (2, &[2]), (3, &[3])];
        assert!(!misses(&runs, now, &[(0, &[0]), (2, &[2])]));
        // A method that was entered from both clean starts is not entered now.
        assert!(misses(&runs, &[(0, &[0]), (1, &[1]), (2, &[2]), (3, &[3])], &[(0, &[0]), (2, &[2])]));
        // Method 5 was entered from both clean starts, and only the first time.
        runs.logs[2].finished[0].entered = vec![MethodId(0), MethodId(5), MethodId(9)];
        assert!(misses(&runs, now, &[(0, &[0]), (2, &[2])]));
    }
}
