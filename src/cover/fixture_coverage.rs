//! Methods entered between two tests, and the tests they are entered for: set-up and tear-down of a class, parameters
//! of a test method.

use super::coverage::Test;
use super::run_log::RunLog;
use crate::base::id::{IdSlice, MethodId, TestId};
use std::collections::{BTreeSet, HashMap};

/// Methods that were entered while no test was running.
#[derive(Debug, Default)]
pub(crate) struct FixtureCoverage {
    /// By top-level class: `@BeforeAll` of a class is for all of its tests, and for those of its nested classes.
    of_class: HashMap<String, BTreeSet<MethodId>>,
    /// By name without parameters: the source of a test's parameters is for all of its invocations.
    of_method: HashMap<String, BTreeSet<MethodId>>,
    /// Set-up of the whole suite (TestNG's `@BeforeSuite`).
    of_suite: BTreeSet<MethodId>,
}

impl FixtureCoverage {
    /// The fixture coverage of several runs, by an engine without set-up of the suite.
    pub(crate) fn of_logs(tests: &IdSlice<TestId, Test>, logs: &[RunLog]) -> Self {
        let mut fixtures = Self::default();
        for log in logs {
            fixtures.add_log(tests, log, false);
        }
        fixtures
    }

    /// Adds what was entered between the tests of a run, and after the last one.
    pub(crate) fn add_log(&mut self, tests: &IdSlice<TestId, Test>, log: &RunLog, has_suite_set_up: bool) {
        let mut previous = None;
        for result in &log.finished {
            let next = tests.get(result.number);
            let entered = if result.of_class { &result.entered } else { &result.set_up };
            match &result.torn_down {
                Some(torn_down) => {
                    self.add(previous, None, torn_down, false);
                    self.add(None, next, entered, false);
                }
                None => self.add(previous, next, entered, has_suite_set_up),
            }
            previous = next;
        }
        self.add(previous, None, &log.entered_after, has_suite_set_up);
    }

    /// Adds methods entered after the test `previous` and before the test `next`; `None` is either end of the run.
    ///
    /// If another class begins in between, and the engine did not report where the previous class ends, tear-down and
    /// set-up cannot be distinguished: the methods count for both classes. With `is_of_suite`, methods at either end of
    /// the run may be for all tests.
    fn add(&mut self, previous: Option<&Test>, next: Option<&Test>, entered: &[MethodId], is_of_suite: bool) {
        if entered.is_empty() {
            return;
        }
        if is_of_suite && (previous.is_none() || next.is_none()) {
            self.of_suite.extend(entered);
        }
        match (previous, next) {
            (Some(previous), Some(next)) if previous.class == next.class => {
                self.of_method.entry(next.method().to_owned()).or_default().extend(entered);
            }
            _ => {
                for test in [previous, next].into_iter().flatten() {
                    self.of_class.entry(test.top_level_class().to_owned()).or_default().extend(entered);
                }
            }
        }
    }

    /// Methods that were entered for this test.
    pub(crate) fn of<'a>(&'a self, test: &'a Test) -> impl Iterator<Item = MethodId> + 'a {
        let of_class = self.of_class.get(test.top_level_class()).into_iter().flatten();
        let of_method = self.of_method.get(test.method()).into_iter().flatten();
        of_class.chain(of_method).chain(&self.of_suite).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;
    use crate::jvm::protocol::Finished;

    fn test(class: &str, method: &str) -> Test {
        Test { id: method.into(), name: format!("{class}.{method}"), class: class.into(), recipe: RecipeId(0) }
    }

    #[test]
    fn set_up_of_a_class_is_for_all_its_tests_and_parameters_are_for_their_invocations() {
        let (first, second) = (test("a.A", "one()"), test("a.A$Inner", "two()"));
        let (third, fourth) = (test("a.B", "three(int)[1]"), test("a.B", "three(int)[2]"));
        let mut fixtures = FixtureCoverage::default();
        fixtures.add(None, Some(&first), &[MethodId(1)], false);
        fixtures.add(Some(&second), Some(&third), &[MethodId(2)], false);
        fixtures.add(Some(&third), Some(&fourth), &[MethodId(3)], false);
        fixtures.add(Some(&fourth), None, &[MethodId(4)], false);
        let of = |fixtures: &FixtureCoverage, test: &Test| {
            fixtures.of(test).map(|method| method.0).collect::<BTreeSet<u32>>().into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of(&fixtures, &first), [1, 2]);
        assert_eq!(of(&fixtures, &second), [1, 2]);
        assert_eq!(of(&fixtures, &third), [2, 3, 4]);
        assert_eq!(of(&fixtures, &test("a.B", "other()")), [2, 4]);
        assert_eq!(of(&fixtures, &test("a.C", "far()")), [0_u32; 0]);
        fixtures.add(None, Some(&first), &[MethodId(9)], true);
        assert_eq!(of(&fixtures, &test("a.C", "far()")), [9]);
    }

    #[test]
    fn set_up_of_a_class_is_not_for_the_previous_class_if_the_engine_reports_its_end() {
        let tests = [test("a.A", "one()"), test("a.B", "two()")];
        let methods = |torn_down: Option<Vec<u32>>| {
            let torn_down = torn_down.map(|methods| methods.into_iter().map(MethodId).collect());
            let second = Finished { torn_down, set_up: vec![MethodId(2)], ..Finished::passed(1, &[]) };
            let log = RunLog { finished: vec![Finished::passed(0, &[]), second], entered_after: vec![MethodId(3)] };
            let mut fixtures = FixtureCoverage::default();
            fixtures.add_log(IdSlice::new(&tests), &log, false);
            tests.each_ref().map(|test| fixtures.of(test).map(|method| method.0).collect::<BTreeSet<u32>>())
        };
        assert_eq!(methods(None), [BTreeSet::from([2]), BTreeSet::from([2, 3])]);
        assert_eq!(methods(Some(vec![])), [BTreeSet::new(), BTreeSet::from([2, 3])]);
        assert_eq!(methods(Some(vec![1, 2])), [BTreeSet::from([1, 2]), BTreeSet::from([2, 3])]);
    }
}
