//! The tests around the tests that see a transformation: all others of their classes, and those that
//! depend on these. A build runs them as well, and any of them may fail: because a test before it
//! left another state behind, or because a runner or extension checks its class at the end.

use crate::base::id::{RecipeId, TestId};
use crate::cover::Coverage;
use crate::run::{classes_depended_upon, unit};
use std::collections::{BTreeMap, BTreeSet};

/// A class or suite that the engine runs as one.
type Unit<'a> = (RecipeId, &'a str);

/// The classes of the tests of all recipes.
#[derive(Debug)]
pub struct WholeClasses<'a> {
    coverage: &'a Coverage,
    /// In the order of the suite, without quarantined tests.
    tests: BTreeMap<Unit<'a>, Vec<TestId>>,
    /// By unit: units with tests that depend on tests of it.
    dependents: BTreeMap<Unit<'a>, BTreeSet<Unit<'a>>>,
    /// Units with a quarantined invocation, which no selection of tests can leave out.
    incomplete: BTreeSet<Unit<'a>>,
}

/// A list of tests that runs as complete classes, if it can.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// In the order of the suite.
    pub(super) tests: Vec<TestId>,
    /// Whether the engine can run these classes without quarantined tests.
    pub(super) is_complete: bool,
}

impl<'a> WholeClasses<'a> {
    #[must_use]
    pub fn new(coverage: &'a Coverage) -> Self {
        let mut classes =
            Self { coverage, tests: BTreeMap::new(), dependents: BTreeMap::new(), incomplete: BTreeSet::new() };
        let mut by_class: BTreeMap<Unit<'a>, BTreeSet<Unit<'a>>> = BTreeMap::new();
        for (id, test) in coverage.tests.iter_enumerated() {
            let unit = (test.recipe, unit(&test.id));
            by_class.entry((test.recipe, test.class.as_str())).or_default().insert(unit);
            if !coverage.is_quarantined(id) {
                classes.tests.entry(unit).or_default().push(id);
            } else if test.is_invocation() {
                classes.incomplete.insert(unit);
            }
        }
        for test in &coverage.tests {
            let needed =
                classes_depended_upon(&test.id).filter_map(|class| by_class.get(&(test.recipe, class))).flatten();
            for of_dependency in needed {
                classes.dependents.entry(*of_dependency).or_default().insert((test.recipe, unit(&test.id)));
            }
        }
        classes
    }

    /// These tests and the tests around them, in the order of the suite.
    #[must_use]
    pub fn around(&self, tests: &[TestId]) -> Vec<TestId> {
        self.complete(tests).tests
    }

    /// [`Self::around`], with whether these classes can run as complete ones.
    pub(super) fn complete(&self, tests: &[TestId]) -> Around {
        let known = tests.iter().filter_map(|test| self.coverage.tests.get(*test));
        let mut units: BTreeSet<Unit<'a>> = known.map(|test| (test.recipe, unit(&test.id))).collect();
        // A dependent test names all tests before it, so one step finds all.
        let dependents = units.iter().filter_map(|unit| self.dependents.get(unit)).flatten();
        let dependents: Vec<Unit<'a>> = dependents.copied().collect();
        units.extend(dependents);
        let mut all: BTreeSet<TestId> = tests.iter().copied().collect();
        all.extend(units.iter().filter_map(|unit| self.tests.get(unit)).flatten());
        Around { tests: all.into_iter().collect(), is_complete: units.is_disjoint(&self.incomplete) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::IdVec;
    use crate::cover::{Quarantined, Test};

    fn coverage(tests: &[(&str, &str)]) -> Coverage {
        let test = |(id, class): &(&str, &str)| Test {
            id: (*id).into(),
            name: format!("{class}.t()"),
            class: (*class).into(),
            recipe: RecipeId(0),
        };
        Coverage { tests: tests.iter().map(test).collect::<IdVec<TestId, Test>>(), ..Coverage::default() }
    }

    fn around(coverage: &Coverage, tests: &[u32]) -> (Vec<u32>, bool) {
        let tests: Vec<TestId> = tests.iter().copied().map(TestId).collect();
        let Around { tests, is_complete } = WholeClasses::new(coverage).complete(&tests);
        (tests.iter().map(|test| test.0).collect(), is_complete)
    }

    #[test]
    fn a_class_and_a_suite_are_whole_with_all_that_they_contain() {
        let coverage = coverage(&[
            ("[engine:junit-jupiter]/[class:A]/[method:a()]", "A"),
            ("[engine:junit-jupiter]/[class:B]/[method:b()]", "B"),
            ("[engine:junit-jupiter]/[class:A]/[nested-class:N]/[method:c()]", "A$N"),
            ("[engine:junit-platform-suite]/[suite:S]/[engine:junit-jupiter]/[class:B]/[method:b()]", "B"),
            ("[engine:junit-platform-suite]/[suite:S]/[engine:junit-jupiter]/[class:A]/[method:a()]", "A"),
            ("AllTests/b(B)#1", "B"),
            ("C/c(C)#1", "C"),
            ("AllTests/d(D)#1", "D"),
        ]);
        assert_eq!(around(&coverage, &[2]), (vec![0, 2], true));
        assert_eq!(around(&coverage, &[3]), (vec![3, 4], true));
        assert_eq!(around(&coverage, &[6, 5]), (vec![5, 6, 7], true));
    }

    #[test]
    fn tests_that_depend_on_a_class_run_with_it_but_not_the_other_way_round() {
        let coverage = coverage(&[
            ("s\tt\tA\ta()\t1\t\tA\t", "A"),
            ("s\tt\tB\tb()\t1\t\tB,A\tA", "B"),
            ("s\tt\tB\tc()\t1\t\tB\t", "B"),
            ("s\tt\tC\tc()\t1\t\tC,A\t", "C"),
        ]);
        assert_eq!(around(&coverage, &[0]), (vec![0, 1, 2], true));
        assert_eq!(around(&coverage, &[2]), (vec![1, 2], true));
        assert_eq!(around(&coverage, &[3]), (vec![3], true));
    }

    #[test]
    fn a_quarantined_test_does_not_run_and_an_invocation_leaves_its_class_incomplete() {
        let mut coverage = coverage(&[("A/a(A)#1", "A"), ("A/b(A)#1", "A"), ("A/c(A)#1", "A")]);
        coverage.failing = vec![Quarantined { test: TestId(1), reason: String::new() }];
        for (name, is_complete) in [("A.b()", true), ("A.b()[2]", false)] {
            coverage.tests[TestId(1)].name = name.into();
            assert_eq!(around(&coverage, &[0]), (vec![0, 2], is_complete));
        }
    }
}
