//! Ranks the tests that can see the transformations of a method: the likeliest to fail first.

use super::candidates;
use crate::base::id::{IdVec, MethodId, TestId};
use crate::cover::Coverage;
use crate::transform::Transformations;
use std::collections::BTreeSet;

/// The data that the order of tests depends on.
pub struct Ranking<'a> {
    transformations: &'a Transformations,
    coverage: &'a Coverage,
    /// Methods that each test enters on the original code, sorted.
    entered: IdVec<TestId, Vec<MethodId>>,
    clean_start_methods: BTreeSet<MethodId>,
    clean_start_tests: BTreeSet<TestId>,
}

impl<'a> Ranking<'a> {
    #[must_use]
    pub fn new(transformations: &'a Transformations, coverage: &'a Coverage) -> Self {
        let mut entered: IdVec<TestId, Vec<MethodId>> = coverage.tests.iter().map(|_| Vec::new()).collect();
        for (method, tests) in coverage.covering.iter_enumerated() {
            for test in tests {
                entered[*test].push(method);
            }
        }
        Self {
            transformations,
            coverage,
            entered,
            clean_start_methods: coverage.clean_start_methods.iter().copied().collect(),
            clean_start_tests: coverage.clean_start_tests.iter().copied().collect(),
        }
    }

    /// Methods that the test enters on the original code.
    #[must_use]
    pub fn entered_by(&self, test: TestId) -> &[MethodId] {
        self.entered.get(test).map_or(&[], Vec::as_slice)
    }

    /// Whether only clean starts show how these tests react to the method.
    #[must_use]
    pub fn only_clean(&self, method: MethodId, tests: &[TestId]) -> bool {
        self.clean_start_methods.contains(&method) || tests.iter().any(|test| self.clean_start_tests.contains(test))
    }

    /// All tests that can see the method, recipe by recipe, in the order in which they run until
    /// one of them notices.
    #[must_use]
    pub fn tests(&self, method: MethodId) -> Vec<TestId> {
        let mut ranked = self.by_likelihood(method, &candidates(self.coverage, method));
        ranked.sort_by_key(|test| self.coverage.tests.get(*test).map(|test| test.recipe));
        ranked
    }

    /// The ranked tests before the slow ones; all of them if there are only slow ones. If these
    /// notice nothing, all tests run from a clean start anyway.
    #[must_use]
    pub fn before_slow<'r>(&self, ranked: &'r [TestId]) -> &'r [TestId] {
        let slow = ranked.iter().position(|test| self.coverage.is_slow(*test)).filter(|slow| *slow > 0);
        ranked.get(..slow.unwrap_or(ranked.len())).unwrap_or(ranked)
    }

    /// Ranks tests: those of the unit's own test class first, then those that enter the fewest
    /// methods; tests that can depend on chance and slow tests last. Nothing that varies from run to run counts (times, results of
    /// other JVMs), so that the same test is named each time.
    #[must_use]
    pub fn by_likelihood(&self, method: MethodId, tests: &[TestId]) -> Vec<TestId> {
        let class = self.transformations.methods[method].class.as_str();
        let unit = class.rsplit('.').next().unwrap_or(class).split('$').next().unwrap_or(class);
        let rank = |test: &TestId| {
            let known = self.coverage.tests.get(*test);
            let own = known.is_some_and(|test| test.class.contains(unit));
            (
                self.coverage.is_slow(*test),
                // What it notices once it may not notice the next time.
                self.coverage.is_by_chance(*test),
                !own,
                self.entered_by(*test).len(),
                known.map_or("", |test| test.name.as_str()),
            )
        };
        let mut ranked = tests.to_vec();
        ranked.sort_by(|left, right| rank(left).cmp(&rank(right)));
        ranked
    }
}
