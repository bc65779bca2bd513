//! Decides which tests have to run again after one run of all tests, and completes the runs with earlier results.
//!
//! All tests run once from a clean start, in their order. That shows which test initialises a class, what happens
//! between tests, and which tests there are; none of it is inferred. Only the second and third results of a test are
//! taken from earlier runs, if its first result is exactly the earlier one and it enters no changed method.

use super::earlier_runs::{EarlierRuns, same_tests};
use crate::base::id::{IdSlice, MethodId, TestId};
use crate::cover::coverage::Test;
use crate::cover::run_log::{
    ClassRun, ResultKey, Results, RunLog, copy_entered_before, entered_before, is_same_result,
};
use crate::jvm::protocol::Finished;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Earlier results that still hold, by test class.
#[derive(Debug)]
pub(crate) struct ReusableResults {
    /// The results of each such top-level class in the earlier three runs, with the present numbers of the tests.
    by_class: BTreeMap<String, [Vec<Finished>; 3]>,
    /// Methods entered after the last test of each earlier run.
    entered_after: [Vec<MethodId>; 3],
    /// Methods entered before each class in the second earlier run.
    entered_before_class: HashMap<String, Vec<MethodId>>,
    /// Methods entered after each class, and before the next one, in the second earlier run.
    entered_after_class: HashMap<String, Vec<MethodId>>,
    /// Top-level classes that an edit reaches, or whose results differ by more than what varied between earlier runs.
    different: BTreeSet<String>,
}

/// How the result of a class compares with the earlier one.
enum Difference {
    None,
    /// Only by methods that varied between the earlier runs.
    OnlyVarying,
    Relevant,
}

/// The earlier first run, prepared for comparison.
struct Comparison<'a> {
    earlier: &'a EarlierRuns<'a>,
    classes: Vec<ClassRun<'a>>,
    /// Index into `classes`.
    positions: HashMap<&'a str, usize>,
    reached: BTreeSet<String>,
    flaky: BTreeSet<TestId>,
    varying: HashMap<&'a str, BTreeSet<MethodId>>,
}

impl<'a> Comparison<'a> {
    fn new(earlier: &'a EarlierRuns<'a>) -> Option<Self> {
        let classes = earlier.runs.logs[0].classes(&earlier.runs.tests)?;
        let positions = classes.iter().enumerate().map(|(position, run)| (run.class, position)).collect();
        let (reached, flaky, varying) = (earlier.classes_reached(), earlier.flaky_tests(), earlier.varying_methods());
        Some(Self { earlier, classes, positions, reached, flaky, varying })
    }

    fn class(&self, class: &str) -> Option<&ClassRun<'a>> {
        self.classes.get(*self.positions.get(class)?)
    }

    /// The class that ran before this one.
    fn previous_class(&self, class: &str) -> Option<&'a str> {
        let position = self.positions.get(class)?.checked_sub(1)?;
        self.classes.get(position).map(|run| run.class)
    }

    /// Compares the results of a class. If `some_skipped`, results that it is known to have without other tests count
    /// as the same.
    fn difference(&self, tests: &IdSlice<TestId, Test>, now: &ClassRun<'_>, some_skipped: bool) -> Difference {
        let earlier = self.class(now.class).map_or(&[][..], |run| &run.results);
        let mut results = now.results.iter().chain(earlier);
        if self.reached.contains(now.class) || results.any(|result| self.earlier.enters_change(result)) {
            return Difference::Relevant;
        }
        if self.are_same(tests, now, earlier, is_same_result)
            || some_skipped && self.earlier.has_known_results_without_others(now.class, tests, &now.results)
        {
            return Difference::None;
        }
        if self.are_same(tests, now, earlier, |now, earlier| self.is_same_but_for_varying(now, earlier)) {
            return Difference::OnlyVarying;
        }
        Difference::Relevant
    }

    fn are_same(
        &self,
        tests: &IdSlice<TestId, Test>,
        now: &ClassRun<'_>,
        earlier: &[&Finished],
        is_same: impl Fn(&Finished, &Finished) -> bool,
    ) -> bool {
        let id =
            |tests: &'_ IdSlice<TestId, Test>, result: &Finished| tests.get(result.number).map(|test| test.id.clone());
        let is_same = |(now, earlier): (&&Finished, &&Finished)| {
            id(tests, now) == id(&self.earlier.runs.tests, earlier)
                && (is_same(now, earlier) || self.flaky.contains(&earlier.number))
        };
        now.results.len() == earlier.len() && now.results.iter().zip(earlier).all(is_same)
    }

    fn is_same_but_for_varying(&self, now: &Finished, earlier: &Finished) -> bool {
        let test = self.earlier.runs.tests.get(earlier.number);
        let varying = test.and_then(|test| self.varying.get(test.id.as_str()));
        varying.is_some_and(|varying| is_same_result(&without(now, varying), &without(earlier, varying)))
            || is_same_result(now, earlier)
    }

    /// Whether something else happens before this class than did earlier. `previous` is the class that runs before it.
    fn has_different_start(&self, now: &ClassRun<'_>, previous: Option<&str>) -> bool {
        let entered = now.entered_before();
        let entered_earlier = self.class(now.class).map_or_else(Vec::new, ClassRun::entered_before);
        entered != entered_earlier
            || (previous != self.previous_class(now.class) && !entered.is_empty())
            || self.earlier.has_change(&entered)
    }
}

impl EarlierRuns<'_> {
    /// Compares the first run with the earlier one, class by class. `first` is the run of all tests; if `some_skipped`,
    /// it contains earlier results of skipped tests. `None` if the tests of a class do not run one after the other.
    pub(crate) fn reusable_results(
        &self,
        tests: &IdSlice<TestId, Test>,
        first: &RunLog,
        some_skipped: bool,
    ) -> Option<ReusableResults> {
        let now = first.classes(tests)?;
        let comparison = Comparison::new(self)?;
        let disturbing = self.disturbing_classes();
        let mut to_rerun: BTreeSet<&str> = BTreeSet::new();
        let mut different: BTreeSet<String> = BTreeSet::new();
        let mut previous: Option<&str> = None;
        for run in &now {
            match comparison.difference(tests, run, some_skipped) {
                Difference::None => {}
                Difference::OnlyVarying => {
                    to_rerun.insert(run.class);
                }
                Difference::Relevant => {
                    to_rerun.insert(run.class);
                    different.insert(run.class.to_owned());
                }
            }
            // The tests that run again must find what a disturbing class leaves behind, as in a run of all tests.
            if disturbing.contains(run.class) || run.disturbs() {
                to_rerun.insert(run.class);
            }
            // What happens between two classes belongs to both.
            if comparison.has_different_start(run, previous) {
                to_rerun.extend([Some(run.class), previous].into_iter().flatten());
            }
            previous = Some(run.class);
        }
        if first.entered_after != self.runs.logs[0].entered_after || self.has_change(&first.entered_after) {
            to_rerun.extend(previous);
        }
        let reusable: BTreeSet<&str> =
            now.iter().map(|run| run.class).filter(|class| !to_rerun.contains(class)).collect();
        Some(ReusableResults { different, ..self.results_of(&reusable, tests)? })
    }

    /// The earlier results of these classes.
    fn results_of(&self, classes: &BTreeSet<&str>, tests: &IdSlice<TestId, Test>) -> Option<ReusableResults> {
        let numbers: HashMap<&str, TestId> =
            tests.iter_enumerated().map(|(number, test)| (test.id.as_str(), number)).collect();
        let mut by_class: BTreeMap<String, [Vec<Finished>; 3]> =
            classes.iter().map(|class| ((*class).to_owned(), Default::default())).collect();
        for (index, log) in self.runs.logs.iter().enumerate() {
            for result in &log.finished {
                let test = self.runs.tests.get(result.number)?;
                let runs = by_class.get_mut(test.top_level_class());
                // A test that only the second or third run found is not a test of the present first run.
                let number = numbers.get(test.id.as_str());
                if let Some((results, number)) = runs.and_then(|runs| runs.get_mut(index)).zip(number) {
                    results.push(Finished { number: *number, ..result.clone() });
                }
            }
        }
        let mut entered_before_class = HashMap::new();
        let mut entered_after_class = HashMap::new();
        let mut previous: Option<&str> = None;
        for result in &self.runs.logs[1].finished {
            let class = self.runs.tests.get(result.number)?.top_level_class();
            if previous != Some(class) {
                let entered = entered_before(result);
                entered_after_class.extend(previous.map(|previous| (previous.to_owned(), entered.clone())));
                entered_before_class.insert(class.to_owned(), entered);
            }
            previous = Some(class);
        }
        let entered_after = self.runs.logs.each_ref().map(|log| log.entered_after.clone());
        let different = BTreeSet::new();
        Some(ReusableResults { by_class, entered_after, entered_before_class, entered_after_class, different })
    }
}

impl ReusableResults {
    /// Whether the earlier results of this class hold.
    pub(crate) fn holds(&self, class: &str) -> bool {
        self.by_class.contains_key(class)
    }

    /// Top-level classes that an edit reaches, or whose results differ from the earlier ones.
    pub(crate) fn different_classes(&self) -> impl Iterator<Item = &str> {
        self.different.iter().map(String::as_str)
    }

    /// The tests that ran only once earlier and whose results hold, by their present numbers.
    pub(crate) fn tests_run_once(&self, earlier: &EarlierRuns<'_>, tests: &IdSlice<TestId, Test>) -> Vec<TestId> {
        let is_held = |number: &TestId| tests.get(*number).is_some_and(|test| self.holds(test.top_level_class()));
        let run_once = same_tests(&earlier.runs.tests, &earlier.runs.run_once, tests);
        run_once.into_iter().filter(is_held).collect()
    }

    /// The tests among `ran` that have to run again.
    pub(crate) fn tests_to_rerun(&self, tests: &IdSlice<TestId, Test>, ran: &[TestId]) -> Vec<TestId> {
        let is_open = |number: &TestId| tests.get(*number).is_none_or(|test| !self.holds(test.top_level_class()));
        ran.iter().copied().filter(is_open).collect()
    }

    /// The three runs of all tests. `first` is a run of all tests; `again` and `clean` are the second and third run of
    /// those that had to run again.
    pub(crate) fn complete(
        &self,
        tests: &IdSlice<TestId, Test>,
        first: &RunLog,
        again: &RunLog,
        clean: &RunLog,
    ) -> [RunLog; 3] {
        let Some(classes) = first.classes(tests) else { return [first.clone(), again.clone(), clean.clone()] };
        let mut whole = [RunLog::default(), RunLog::default(), RunLog::default()];
        let mut previous = None;
        for run in classes {
            let results = self.by_class.get(run.class).cloned().unwrap_or_else(|| {
                let of_class = |log: &RunLog| results_of_class(run.class, tests, log);
                let (mut again, mut clean) = (of_class(again), of_class(clean));
                self.adapt_partial_runs(previous, &run, &mut again, &mut clean);
                [run.results.iter().map(|result| (*result).clone()).collect(), again, clean]
            });
            for (log, results) in whole.iter_mut().zip(results) {
                log.finished.extend(results);
            }
            previous = Some(run.class);
        }
        let is_held = previous.is_some_and(|class| self.holds(class));
        for (log, earlier) in whole.iter_mut().zip(&self.entered_after) {
            log.entered_after.clone_from(if is_held { earlier } else { &first.entered_after });
        }
        whole
    }

    /// Removes from the runs of a class what only happens because others did not run: there, the tests that come first
    /// initialise classes and fill caches, and a different class runs before this one.
    fn adapt_partial_runs(
        &self,
        previous: Option<&str>,
        first: &ClassRun<'_>,
        again: &mut [Finished],
        clean: &mut [Finished],
    ) {
        let first_results: HashMap<ResultKey, &Finished> =
            first.results.iter().map(|result| (ResultKey::of(result), *result)).collect();
        let again_results: HashMap<ResultKey, &Finished> =
            again.iter().map(|result| (ResultKey::of(result), result)).collect();
        for result in clean.iter_mut() {
            let key = ResultKey::of(result);
            if let (Some(first), Some(again)) = (first_results.get(&key), again_results.get(&key)) {
                result.entered = keep_known(&result.entered, &first.entered, &again.entered);
                result.set_up = keep_known(&result.set_up, &first.set_up, &again.set_up);
            }
        }
        let Some(start) = first.results.first() else { return };
        if let Some(result) = clean.first_mut() {
            copy_entered_before(start, result, |_| true);
        }
        if let Some(result) = again.first_mut() {
            let before = self.entered_before_class.get(first.class);
            let after_previous = previous.and_then(|previous| self.entered_after_class.get(previous));
            let mut known: BTreeSet<MethodId> = before.into_iter().chain(after_previous).flatten().copied().collect();
            known.extend(entered_before(result));
            copy_entered_before(start, result, |method| known.contains(&method));
        }
    }
}

fn results_of_class(class: &str, tests: &IdSlice<TestId, Test>, log: &RunLog) -> Vec<Finished> {
    let is_of_class = |result: &&Finished| tests.get(result.number).is_some_and(|test| test.top_level_class() == class);
    log.finished.iter().filter(is_of_class).cloned().collect()
}

/// Whether the outcome of one of these tests differs between the first run and the run from the other clean start.
pub(crate) fn has_different_outcomes(first: &Results, clean: &Results, tests: &[TestId]) -> bool {
    let outcome = |results: &Results, test: &TestId| results.get(test).map(|result| result.outcome);
    tests.iter().any(|test| outcome(first, test) != outcome(clean, test))
}

/// The result as if these methods had not been entered.
fn without(result: &Finished, methods: &BTreeSet<MethodId>) -> Finished {
    let others = |entered: &Vec<MethodId>| entered.iter().copied().filter(|method| !methods.contains(method)).collect();
    Finished {
        torn_down: result.torn_down.as_ref().map(others),
        set_up: others(&result.set_up),
        entered: others(&result.entered),
        ..result.clone()
    }
}

/// The methods of `clean` that are also in `first` or `again`.
fn keep_known(clean: &[MethodId], first: &[MethodId], again: &[MethodId]) -> Vec<MethodId> {
    let known: BTreeSet<MethodId> = first.iter().chain(again).copied().collect();
    clean.iter().copied().filter(|method| known.contains(method)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{IdVec, MethodId, RecipeId};
    use crate::cover::recorded_runs::RecordedRuns;
    use crate::cover::reuse::earlier_runs::after_edit;
    use crate::jvm::protocol::Outcome;

    /// Tests `a` and `b` of a class, one of another, and one of a third.
    const TESTS: [&str; 4] = ["ATest.a", "ATest.b", "BTest.a", "CTest.a"];

    fn tests(names: &[&str]) -> IdVec<TestId, Test> {
        let test = |name: &&str| Test {
            id: (*name).into(),
            name: (*name).into(),
            class: name.split('.').next().unwrap().into(),
            recipe: RecipeId(0),
        };
        names.iter().map(test).collect()
    }

    fn passed(number: u32, entered: &[u32]) -> Finished {
        Finished { nanoseconds: u64::from(number), ..Finished::passed(number, entered) }
    }

    /// Each test enters the method of its number; `ATest.a` initialises a class, which enters 9.
    fn first() -> RunLog {
        let entered: [&[u32]; 4] = [&[0, 9], &[1], &[2], &[3]];
        RunLog {
            finished: (0..).zip(entered).map(|(number, entered)| passed(number, entered)).collect(),
            entered_after: Vec::new(),
        }
    }

    fn again() -> RunLog {
        let finished = (0..4).map(|number| passed(number, &[number])).collect();
        RunLog { finished, entered_after: Vec::new() }
    }

    fn runs() -> RecordedRuns {
        RecordedRuns { tests: tests(&TESTS), logs: [first(), again(), first()], found: 4, ..RecordedRuns::default() }
    }

    /// Names of the tests that have to run again.
    fn rerun(runs: &RecordedRuns, methods: &[u32], classes: &[&str], names: &[&str], first: &RunLog) -> Vec<String> {
        let tests = tests(names);
        let reusable =
            after_edit(runs, methods, classes, |earlier| earlier.reusable_results(&tests, first, false)).unwrap();
        let ran: Vec<TestId> = tests.indices().collect();
        reusable.tests_to_rerun(&tests, &ran).into_iter().map(|number| tests[number].name.clone()).collect()
    }

    #[test]
    fn only_classes_with_a_test_that_enters_a_changed_body_run_again() {
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &first()), [""; 0]);
        assert_eq!(rerun(&runs(), &[1], &[], &TESTS, &first()), ["ATest.a", "ATest.b"]);
        assert_eq!(rerun(&runs(), &[], &["CTest$Inner"], &TESTS, &first()), ["CTest.a"]);
        let mut now = first();
        now.finished[2].set_up = vec![MethodId(5)];
        let mut runs = runs();
        runs.logs[0].finished[2].set_up = vec![MethodId(5)];
        // Set up for `BTest`, or torn down behind `ATest`.
        assert_eq!(rerun(&runs, &[5], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
        for log in [&mut now, &mut runs.logs[0]] {
            log.finished[2].torn_down = Some(std::mem::take(&mut log.finished[2].set_up));
        }
        assert_eq!(rerun(&runs, &[5], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
    }

    #[test]
    fn a_class_with_a_different_result_runs_again() {
        let mut now = first();
        now.finished[2].nanoseconds = 1_000_000;
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), [""; 0]);
        now.finished[2].entered = vec![MethodId(2), MethodId(7)];
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["BTest.a"]);
        now.finished[3].outcome = Outcome::Failed;
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
        // No longer the first that needs the class.
        let mut now = first();
        now.finished[0].entered = vec![MethodId(0)];
        now.finished[3].entered = vec![MethodId(3), MethodId(9)];
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b", "CTest.a"]);
    }

    #[test]
    fn a_class_that_disturbs_what_tests_share_always_runs_again() {
        let mut runs = runs();
        runs.logs[0].finished[2].disturbs = true;
        let now = runs.logs[0].clone();
        assert_eq!(rerun(&runs, &[3], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
    }

    #[test]
    fn what_happens_between_two_classes_belongs_to_both() {
        let mut now = first();
        now.finished[3].set_up = vec![MethodId(5)];
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["BTest.a", "CTest.a"]);
        let mut now = first();
        now.entered_after = vec![MethodId(5)];
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["CTest.a"]);
    }

    #[test]
    fn the_end_of_a_class_without_tear_down_says_nothing_new() {
        let mut now = first();
        now.finished[2].torn_down = Some(Vec::new());
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), [""; 0]);
        now.finished[2].torn_down = Some(vec![MethodId(5)]);
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b", "BTest.a"]);
    }

    #[test]
    fn new_tests_and_those_of_a_class_with_a_removed_test_run_again() {
        let mut now = first();
        now.finished.push(passed(4, &[]));
        let names = ["ATest.a", "ATest.b", "BTest.a", "CTest.a", "DTest.a"];
        assert_eq!(rerun(&runs(), &[], &[], &names, &now), ["DTest.a"]);
        let mut now = first();
        now.finished.remove(1);
        assert_eq!(rerun(&runs(), &[], &[], &TESTS, &now), ["ATest.a", "ATest.b"]);
    }

    #[test]
    fn a_flaky_test_stays_quarantined() {
        let mut runs = runs();
        runs.logs[2].finished[2].outcome = Outcome::Failed;
        let mut now = first();
        now.finished[2].outcome = Outcome::Failed;
        assert_eq!(rerun(&runs, &[], &[], &TESTS, &now), [""; 0]);
        assert_eq!(rerun(&runs, &[2], &[], &TESTS, &now), ["BTest.a"]);
    }

    #[test]
    fn classes_whose_tests_are_not_consecutive_are_not_compared() {
        let runs = runs();
        let mut now = first();
        now.finished.swap(1, 2);
        let reusable = after_edit(&runs, &[], &[], |earlier| earlier.reusable_results(&runs.tests, &now, false));
        assert!(reusable.is_none());
    }

    #[test]
    fn initialisation_that_others_do_in_a_whole_run_is_removed_from_a_partial_run() {
        let runs = runs();
        let mut now = first();
        now.finished[2].entered = vec![MethodId(2), MethodId(8)];
        let reusable =
            after_edit(&runs, &[2], &[], |earlier| earlier.reusable_results(&runs.tests, &now, false)).unwrap();
        // From a clean start of its own, `BTest.a` is the first that needs the class, and its set-up the first to fill a cache.
        let part = |entered: &[u32], set_up: &[u32]| {
            let result = Finished { set_up: set_up.iter().copied().map(MethodId).collect(), ..passed(2, entered) };
            RunLog { finished: vec![result], entered_after: vec![MethodId(9)] }
        };
        let [first, again, clean] = reusable.complete(&runs.tests, &now, &part(&[2, 8], &[]), &part(&[2, 8, 9], &[9]));
        assert_eq!(first.finished[2].entered, [MethodId(2), MethodId(8)]);
        assert_eq!(clean, first);
        assert_eq!(again.finished[2].entered, [MethodId(2), MethodId(8)]);
        assert_eq!(again.finished[0], runs.logs[1].finished[0]);
    }

    #[test]
    fn what_happens_before_a_class_in_a_partial_run_is_replaced() {
        let mut runs = runs();
        // Torn down behind ATest: 4, each time. Set up for BTest: 5, the first time only.
        let set_before = |log: &mut RunLog, methods: &[u32]| {
            log.finished[2].set_up = methods.iter().copied().map(MethodId).collect();
        };
        set_before(&mut runs.logs[0], &[4, 5]);
        set_before(&mut runs.logs[1], &[4]);
        set_before(&mut runs.logs[2], &[4, 5]);
        let now = runs.logs[0].clone();
        let reusable =
            after_edit(&runs, &[2], &[], |earlier| earlier.reusable_results(&runs.tests, &now, false)).unwrap();
        let part = |before_class: &[u32]| RunLog {
            finished: vec![Finished {
                set_up: before_class.iter().copied().map(MethodId).collect(),
                ..passed(2, &[2])
            }],
            entered_after: Vec::new(),
        };
        let all = reusable.complete(&runs.tests, &now, &part(&[]), &part(&[5]));
        assert_eq!(all, runs.logs);
    }
}
