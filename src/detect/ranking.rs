//! From a method to the tests that can see its transformations, the likeliest killer first.

use super::candidates;
use crate::base::id::MethodId;
use crate::cover::Coverage;
use crate::transform::Transformations;
use std::collections::BTreeSet;

/// What the order of tests hangs on.
pub struct Ranking<'a> {
    transformations: &'a Transformations,
    coverage: &'a Coverage,
    /// Methods that each test enters on the original code, sorted.
    entered: Vec<Vec<u32>>,
    once: BTreeSet<MethodId>,
    clean_only: BTreeSet<usize>,
}

impl<'a> Ranking<'a> {
    #[must_use]
    pub fn new(transformations: &'a Transformations, coverage: &'a Coverage) -> Self {
        let mut entered = vec![Vec::new(); coverage.tests.len()];
        for (method, tests) in (0_u32..).zip(&coverage.covering) {
            for test in tests {
                if let Some(entered) = entered.get_mut(*test) {
                    entered.push(method);
                }
            }
        }
        Self {
            transformations,
            coverage,
            entered,
            once: coverage.clean_start_methods.iter().copied().collect(),
            clean_only: coverage.clean_start_tests.iter().copied().collect(),
        }
    }

    /// Methods that the test enters on the original code.
    #[must_use]
    pub fn entered_by(&self, test: usize) -> &[u32] {
        self.entered.get(test).map_or(&[], Vec::as_slice)
    }

    /// Whether only clean starts tell what these tests make of the method.
    #[must_use]
    pub fn only_clean(&self, method: MethodId, tests: &[usize]) -> bool {
        self.once.contains(&method) || tests.iter().any(|test| self.clean_only.contains(test))
    }

    /// All tests that can see the method, in the order in which they run until one of them notices: recipe by recipe.
    #[must_use]
    pub fn tests(&self, method: MethodId) -> Vec<usize> {
        let mut ranked = self.by_likelihood(method, &candidates(self.transformations, self.coverage, method));
        ranked.sort_by_key(|test| self.coverage.tests.get(*test).map(|test| test.recipe));
        ranked
    }

    /// Of ranked tests, those before the slow ones: what these do not notice runs with all tests from a clean start, and there are none to wait for.
    #[must_use]
    pub fn before_slow<'r>(&self, ranked: &'r [usize]) -> &'r [usize] {
        let slow = ranked.iter().position(|test| self.coverage.is_slow(*test)).filter(|slow| *slow > 0);
        ranked.get(..slow.unwrap_or(ranked.len())).unwrap_or(ranked)
    }

    /// The likeliest killer first: the unit's own test class, then the most focused tests; slow ones behind all others. Nothing else that varies
    /// from run to run counts (times, what other workers have found so far), so that the same test is named each time.
    #[must_use]
    pub fn by_likelihood(&self, method: MethodId, tests: &[usize]) -> Vec<usize> {
        let class = self.transformations.methods[method].class.as_str();
        let unit = class.rsplit('.').next().unwrap_or(class).split('$').next().unwrap_or(class);
        let rank = |test: &usize| {
            let known = self.coverage.tests.get(*test);
            let own = known.is_some_and(|test| test.class.contains(unit));
            (
                self.coverage.is_slow(*test),
                !own,
                self.entered_by(*test).len(),
                known.map_or("", |test| test.name.as_str()),
            )
        };
        let mut ranked = tests.to_vec();
        ranked.sort_by(|one, other| rank(one).cmp(&rank(other)));
        ranked
    }
}
