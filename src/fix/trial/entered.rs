//! The methods that were entered while tests ran.

use crate::base::id::{MethodId, TestId};
use crate::fix::trial::run_result::RunResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Methods that were entered in trial runs, on either
/// side.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct EnteredMethods {
    methods: BTreeSet<MethodId>,
    /// Whether the methods of some run are unknown.
    is_lost: bool,
}

impl EnteredMethods {
    /// Whether it is certain that none of these methods was entered.
    #[must_use]
    pub fn none_of(&self, methods: &BTreeSet<MethodId>) -> bool {
        !self.is_lost && !methods.iter().any(|method| self.methods.contains(method))
    }

    pub fn unite(&mut self, other: &Self) {
        self.methods.extend(&other.methods);
        self.is_lost |= other.is_lost;
    }

    /// Adds the methods that these tests entered in a run, and those that were entered before and
    /// between tests. The set-up of a class belongs to all of its tests.
    pub fn add(&mut self, tried: &RunResult, is_own: impl Fn(TestId) -> bool) {
        for finished in &tried.finished {
            self.methods.extend(finished.between());
            if is_own(finished.number) {
                self.methods.extend(&finished.entered);
            }
        }
        self.methods.extend(&tried.entered_otherwise);
        self.is_lost |= tried.is_lost;
    }
}

/// Adds the methods of a run of these tests to the group of each test.
pub fn add_to_groups(
    all: &mut [EnteredMethods],
    tried: &RunResult,
    tests: &[(TestId, &str)],
    group_of: impl Fn(TestId) -> Option<usize>,
) {
    let groups: BTreeSet<usize> = tests.iter().filter_map(|(number, _)| group_of(*number)).collect();
    for group in groups {
        if let Some(entered) = all.get_mut(group) {
            // A test that nobody asked for (an invocation of a parameterised test) may belong to
            // any group.
            entered.add(tried, |number| group_of(number).is_none_or(|of| of == group));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::protocol::Finished;

    fn finished(number: u32, set_up: &[u32], entered: &[u32]) -> Finished {
        Finished { set_up: set_up.iter().copied().map(MethodId).collect(), ..Finished::passed(number, entered) }
    }

    #[test]
    fn each_group_gets_the_methods_of_its_tests_and_those_between_any_tests() {
        // Tests 1 and 2 belong to the first method, 3 to the second, and 4 to the third, which has
        // no test in this run.
        let group_of =
            |number: TestId| [None, Some(0), Some(0), Some(1), Some(2)].get(number.index()).copied().flatten();
        let finished = vec![
            finished(1, &[10], &[11]),
            finished(2, &[], &[12]),
            finished(3, &[13], &[14]),
            finished(9, &[], &[15]),
        ];
        let mut tried = RunResult { finished, ..RunResult::default() };
        let tests = [(TestId(1), "a"), (TestId(2), "b"), (TestId(3), "c")];
        let mut all = vec![EnteredMethods::default(); 3];
        add_to_groups(&mut all, &tried, &tests, group_of);
        let methods: Vec<Vec<u32>> =
            all.iter().map(|entered| entered.methods.iter().map(|method| method.0).collect()).collect();
        assert_eq!(methods, [vec![10, 11, 12, 13, 15], vec![10, 13, 14, 15], vec![]]);
        assert!(
            all[1].none_of(&[MethodId(11), MethodId(12)].into())
                && !all[1].none_of(&[MethodId(11), MethodId(14)].into())
        );
        tried.is_lost = true;
        add_to_groups(&mut all, &tried, &tests, group_of);
        assert!(
            !all[1].none_of(&[MethodId(11)].into()) && all[2].none_of(&[MethodId(11)].into()),
            "what broke off says nothing"
        );
    }
}
