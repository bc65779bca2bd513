//! From what is entered between two tests to the tests for which it happens: set-up and tear-down of their classes, parameters of their method.

use super::{Run, Test};
use std::collections::{BTreeSet, HashMap};

/// Methods that were entered while no test was running.
#[derive(Debug, Default)]
pub struct SetUp {
    /// By top-level class: `@BeforeAll` of a class is for all of its tests, and for those of the classes inside.
    of_class: HashMap<String, BTreeSet<u32>>,
    /// By name without parameters: what supplies the parameters of a test is for all of its invocations.
    of_method: HashMap<String, BTreeSet<u32>>,
    /// Set-up of the whole suite (TestNG's `@BeforeSuite`).
    of_suite: BTreeSet<u32>,
}

impl SetUp {
    /// What happened between the tests of a run, and behind the last of them.
    pub fn note(&mut self, tests: &[Test], run: &Run, sets_up_suite: bool) {
        let mut before = None;
        for one in &run.finished {
            let after = tests.get(one.number as usize);
            let entered = if one.of_class { &one.entered } else { &one.set_up };
            match &one.torn_down {
                Some(torn_down) => {
                    self.between(before, None, torn_down, false);
                    self.between(None, after, entered, false);
                }
                None => self.between(before, after, entered, sets_up_suite),
            }
            before = after;
        }
        self.between(before, None, &run.rest, sets_up_suite);
    }

    /// `entered` happened behind `before` and before `after`, `None` at either end of the run. Where another class begins, and nobody told where
    /// the one before ends, nobody knows what of it is tear-down and what is set-up: it counts for both. `is_of_suite` says that what comes before the first test may be for all.
    pub fn between(&mut self, before: Option<&Test>, after: Option<&Test>, entered: &[u32], is_of_suite: bool) {
        if entered.is_empty() {
            return;
        }
        if is_of_suite && (before.is_none() || after.is_none()) {
            self.of_suite.extend(entered);
        }
        match (before, after) {
            (Some(before), Some(after)) if before.class == after.class => {
                self.of_method.entry(method(after).to_owned()).or_default().extend(entered);
            }
            _ => {
                for test in [before, after].into_iter().flatten() {
                    self.of_class.entry(top_level(test).to_owned()).or_default().extend(entered);
                }
            }
        }
    }

    /// Methods that were entered for this test.
    pub fn of<'a>(&'a self, test: &'a Test) -> impl Iterator<Item = u32> + 'a {
        let of_class = self.of_class.get(top_level(test)).into_iter().flatten();
        let of_method = self.of_method.get(method(test)).into_iter().flatten();
        of_class.chain(of_method).chain(&self.of_suite).copied()
    }
}

/// The outermost class around that of the test.
pub fn top_level(test: &Test) -> &str {
    test.class.split('$').next().unwrap_or(&test.class)
}

/// `org.example.StackTest.pops` of `org.example.StackTest.pops(int)[2]`.
pub fn method(test: &Test) -> &str {
    test.name.split(['(', '[']).next().unwrap_or(&test.name)
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
    fn what_a_class_sets_up_is_for_all_its_tests_and_parameters_are_for_their_invocations() {
        let (first, second) = (test("a.A", "one()"), test("a.A$Inner", "two()"));
        let (third, fourth) = (test("a.B", "three(int)[1]"), test("a.B", "three(int)[2]"));
        let mut set_up = SetUp::default();
        set_up.between(None, Some(&first), &[1], false);
        set_up.between(Some(&second), Some(&third), &[2], false);
        set_up.between(Some(&third), Some(&fourth), &[3], false);
        set_up.between(Some(&fourth), None, &[4], false);
        let of =
            |set_up: &SetUp, test: &Test| set_up.of(test).collect::<BTreeSet<u32>>().into_iter().collect::<Vec<_>>();
        assert_eq!(of(&set_up, &first), [1, 2]);
        assert_eq!(of(&set_up, &second), [1, 2]);
        assert_eq!(of(&set_up, &third), [2, 3, 4]);
        assert_eq!(of(&set_up, &test("a.B", "other()")), [2, 4]);
        assert_eq!(of(&set_up, &test("a.C", "far()")), [0_u32; 0]);
        set_up.between(None, Some(&first), &[9], true);
        assert_eq!(of(&set_up, &test("a.C", "far()")), [9]);
    }

    #[test]
    fn what_a_class_sets_up_is_not_of_the_class_before_where_the_engine_tells_its_end() {
        let tests = [test("a.A", "one()"), test("a.B", "two()")];
        let noted = |torn_down: Option<Vec<u32>>| {
            let second = Finished { torn_down, set_up: vec![2], ..Finished::passed(1, &[]) };
            let run = Run { finished: vec![Finished::passed(0, &[]), second], rest: vec![3] };
            let mut set_up = SetUp::default();
            set_up.note(&tests, &run, false);
            tests.each_ref().map(|test| set_up.of(test).collect::<BTreeSet<u32>>())
        };
        assert_eq!(noted(None), [BTreeSet::from([2]), BTreeSet::from([2, 3])]);
        assert_eq!(noted(Some(vec![])), [BTreeSet::new(), BTreeSet::from([2, 3])]);
        assert_eq!(noted(Some(vec![1, 2])), [BTreeSet::from([1, 2]), BTreeSet::from([2, 3])]);
    }
}
