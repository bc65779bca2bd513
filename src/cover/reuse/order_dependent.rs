//! Remembers test classes whose results depend on which other tests ran before them.
//!
//! A test may find what another one left in the JDK or in a static field. Such a class has a different result if others
//! are skipped, although it enters no changed method. If a run of all tests shows that it still has its earlier result
//! there, its result without the others is remembered. A later run with that very result shows that the class has not
//! changed, and others may be skipped.

use super::earlier_runs::EarlierRuns;
use crate::base::id::{IdSlice, TestId};
use crate::cover::coverage::Test;
use crate::cover::recorded_runs::{IdentifiedResult, OrderDependentClasses, RecordedRuns};
use crate::cover::run_log::{RunLog, is_same_result};
use crate::jvm::protocol::Finished;

impl EarlierRuns<'_> {
    /// The classes among those with `different` results that no edit reaches: they depend on tests that were skipped.
    pub(crate) fn order_dependent_classes<'d>(
        &self,
        different: impl Iterator<Item = &'d str>,
        tests: &IdSlice<TestId, Test>,
        first: &RunLog,
    ) -> OrderDependentClasses {
        let reached = self.classes_reached();
        let unreached = different.filter(|class| !reached.contains(*class));
        unreached.map(|class| (class.to_owned(), results_of(class, tests, first))).collect()
    }

    /// The order-dependent classes to remember: those that were `seen` now and had their earlier results when all tests
    /// ran, and those that were known and that no edit reaches.
    pub(crate) fn order_dependent_classes_to_record(
        &self,
        seen: OrderDependentClasses,
        now: &RecordedRuns,
    ) -> OrderDependentClasses {
        let reached = self.classes_reached();
        let first = |runs: &RecordedRuns, class: &str| results_of(class, &runs.tests, &runs.logs[0]);
        let mut known = self.runs.order_dependent.clone();
        known.retain(|class, _| !reached.contains(class));
        for (class, results) in seen {
            if are_same(&first(now, &class), &first(self.runs, &class)) {
                known.insert(class, results);
            }
        }
        known
    }

    /// Whether a class has the results that are known for it when other tests are skipped.
    pub(super) fn has_known_results_without_others(
        &self,
        class: &str,
        tests: &IdSlice<TestId, Test>,
        results: &[&Finished],
    ) -> bool {
        let known = self.runs.order_dependent.get(class);
        known.is_some_and(|known| are_same(known, &with_ids(tests, results)))
    }
}

fn results_of(class: &str, tests: &IdSlice<TestId, Test>, log: &RunLog) -> Vec<IdentifiedResult> {
    let classes = log.classes(tests).unwrap_or_default();
    let class = classes.iter().find(|run| run.class == class);
    class.map(|run| with_ids(tests, &run.results)).unwrap_or_default()
}

fn with_ids(tests: &IdSlice<TestId, Test>, results: &[&Finished]) -> Vec<IdentifiedResult> {
    let id = |result: &Finished| tests.get(result.number).map(|test| test.id.clone());
    let identified = |result: &&Finished| Some(IdentifiedResult { id: id(result)?, result: (*result).clone() });
    results.iter().filter_map(identified).collect()
}

fn are_same(left: &[IdentifiedResult], right: &[IdentifiedResult]) -> bool {
    let is_same = |left: &IdentifiedResult, right: &IdentifiedResult| {
        left.id == right.id && is_same_result(&left.result, &right.result)
    };
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{MethodId, RecipeId};
    use crate::cover::reuse::earlier_runs::after_edit;

    /// Each test enters the method of its number.
    fn runs() -> RecordedRuns {
        let test =
            |class: &str| Test { id: class.into(), name: class.into(), class: class.into(), recipe: RecipeId(0) };
        let log = log(&[(0, 0), (1, 1), (2, 2)]);
        let tests = ["ATest", "BTest", "CTest"].map(test).into_iter().collect();
        RecordedRuns { tests, logs: [log.clone(), log.clone(), log], found: 3, ..RecordedRuns::default() }
    }

    fn log(entered: &[(u32, u32)]) -> RunLog {
        let finished = entered.iter().map(|(number, method)| Finished::passed(*number, &[*method])).collect();
        RunLog { finished, entered_after: Vec::new() }
    }

    /// Order-dependent classes, and the tests that run again.
    fn compared(
        runs: &RecordedRuns,
        method: u32,
        first: &RunLog,
        some_skipped: bool,
    ) -> (OrderDependentClasses, Vec<u32>) {
        after_edit(runs, &[method], &[], |earlier| {
            let reusable = earlier.reusable_results(&runs.tests, first, some_skipped).unwrap();
            let classes = earlier.order_dependent_classes(reusable.different_classes(), &runs.tests, first);
            let to_rerun = reusable.tests_to_rerun(&runs.tests, &[0, 1, 2].map(TestId));
            (classes, to_rerun.into_iter().map(|test| test.0).collect())
        })
    }

    #[test]
    fn a_known_result_without_the_skipped_tests_says_nothing_new() {
        let mut earlier = runs();
        // `ATest` is skipped, and `BTest` enters a different method.
        let without = log(&[(0, 0), (1, 7), (2, 2)]);
        let (classes, rerun) = compared(&earlier, 2, &without, true);
        assert_eq!((classes.keys().map(String::as_str).collect(), rerun), (vec!["BTest"], vec![1, 2]));
        earlier.order_dependent =
            after_edit(&earlier, &[2], &[], |earlier| earlier.order_dependent_classes_to_record(classes, &runs()));
        assert_eq!(compared(&earlier, 2, &without, true), (OrderDependentClasses::new(), vec![2]));
        // It runs again if it has yet another result, if no test is skipped, or if an edit reaches it.
        let (classes, rerun) = compared(&earlier, 2, &log(&[(0, 0), (1, 8), (2, 2)]), true);
        assert_eq!((classes.len(), rerun), (1, vec![1, 2]));
        assert_eq!(compared(&earlier, 2, &without, false).1, [1, 2]);
        assert_eq!(compared(&earlier, 1, &without, true).1, [1]);
        assert_eq!(
            after_edit(&earlier, &[1], &[], |earlier| earlier
                .order_dependent_classes_to_record(OrderDependentClasses::new(), &runs())),
            OrderDependentClasses::new()
        );
    }

    #[test]
    fn a_class_with_a_different_result_among_all_tests_is_not_recorded() {
        let earlier = runs();
        let (classes, _) = compared(&earlier, 2, &log(&[(0, 0), (1, 7), (2, 2)]), true);
        let mut now = runs();
        now.logs[0].finished[1].entered = vec![MethodId(9)];
        assert_eq!(
            after_edit(&earlier, &[2], &[], |earlier| earlier.order_dependent_classes_to_record(classes, &now)),
            OrderDependentClasses::new()
        );
    }
}
