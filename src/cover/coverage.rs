//! The tests of a build, the methods that each test enters, and the tests that are unfit as evidence.

use crate::base::id::{IdSlice, IdVec, MethodId, RecipeId, TestId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// One test: a test method, or one invocation of a parameterised test.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Test {
    /// The engine's own identifier, by which the driver finds the test again.
    pub id: String,
    /// Name for people, unique in its module: `org.example.StackTest.pops()`, `org.example.StackTest.pops(int)[2]`.
    pub name: String,
    /// Binary name of the test class.
    pub class: String,
    /// The recipe that runs this test: that of its module.
    pub recipe: RecipeId,
}

impl Test {
    /// Whether this is one of several invocations of its method, as the drivers name them:
    /// `org.example.StackTest.pops(int)[2]`, `org.example.StackTest[1].pops()`.
    /// JUnit 4 lets a runner choose other names.
    #[must_use]
    pub fn is_invocation(&self) -> bool {
        let name = self.name.strip_prefix(self.class.as_str()).and_then(|name| name.strip_prefix('.'));
        let method = name.and_then(|name| name.strip_suffix(')')?.split_once('('));
        !method.is_some_and(|(method, _)| method.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')))
    }

    /// The outermost class around the class of the test.
    pub(crate) fn top_level_class(&self) -> &str {
        self.class.split('$').next().unwrap_or(&self.class)
    }

    /// The method without parameters: `org.example.StackTest.pops` for `org.example.StackTest.pops(int)[2]`.
    pub(crate) fn method(&self) -> &str {
        self.name.split(['(', '[']).next().unwrap_or(&self.name)
    }
}

/// A test that is unfit as evidence, and why.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Quarantined {
    pub test: TestId,
    pub reason: String,
}

/// The result of the stage.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Coverage {
    /// The time before the first test ran; `None` if none did.
    #[serde(skip)]
    pub since: Option<SystemTime>,
    /// In the order in which they run.
    pub tests: IdVec<TestId, Test>,
    /// Wall time of each test, in nanoseconds, on the original code.
    pub nanoseconds: IdVec<TestId, u64>,
    /// CPU time of the whole process during each test, in nanoseconds.
    pub cpu_nanoseconds: IdVec<TestId, u64>,
    /// The longest time that a test spent on set-up that tests share (a context, mocks): its time from a clean start
    /// minus its time when it ran again in the same class loader. In another selection of tests, another test does
    /// this set-up.
    pub start_up_nanoseconds: u64,
    /// The tests that entered each method, in order.
    pub covering: IdVec<MethodId, Vec<TestId>>,
    /// Tests that fail before any change; in order.
    pub failing: Vec<Quarantined>,
    /// Flaky tests, which had different outcomes in the three runs; in order.
    pub unstable: Vec<Quarantined>,
    /// The quarantined tests that entered each method. A method that only these enter is not "not covered".
    pub quarantined_covering: IdVec<MethodId, Vec<TestId>>,
    /// Tests that pass only from a clean start: they fail when they run again in the same class loader.
    pub clean_start_tests: Vec<TestId>,
    /// Tests that take far longer than other invocations of the same test, or other tests of their class.
    /// The other tests run first. In order.
    pub slow: Vec<TestId>,
    /// Methods that a test enters in a fresh class loader but not when it runs there again (static initialisation).
    /// Which test enters them depends on the order of the tests, so only a clean start gives a reliable verdict.
    pub clean_start_methods: Vec<MethodId>,
    /// The tests that use what each of these methods sets up; see
    /// [`users_of_shared_state`](super::users_of_shared_state).
    pub sharing: BTreeMap<MethodId, Vec<TestId>>,
    /// Tests that pass alone, but fail while another JVM runs them too: both need the same port or file. In order.
    pub competing: Vec<TestId>,
    /// The execution of surefire that each recipe belongs to, if several run the same tests.
    #[serde(default)]
    pub executions: IdVec<RecipeId, Option<String>>,
    /// Tests that can depend on chance; see [`by_chance`](super::by_chance). In order.
    pub by_chance: Vec<TestId>,
    /// Tests that may write files; see [`writing`](super::writing). In order.
    pub writing: Vec<TestId>,
}

impl Coverage {
    /// The coverage of a project with this number of methods if no test runs.
    #[must_use]
    pub fn without_tests(methods: usize) -> Self {
        let nothing = IdVec::from_vec(vec![Vec::new(); methods]);
        Self { covering: nothing.clone(), quarantined_covering: nothing, ..Self::default() }
    }

    /// The test's name for people, with the execution of surefire if several run it; `None` if there is no such test.
    #[must_use]
    pub fn full_name(&self, test: TestId) -> Option<String> {
        let test = self.tests.get(test)?;
        Some(match self.executions.get(test.recipe) {
            Some(Some(execution)) => format!("{} (execution {execution})", test.name),
            _ => test.name.clone(),
        })
    }

    /// Whether the test is unfit as evidence.
    #[must_use]
    pub fn is_quarantined(&self, test: TestId) -> bool {
        // Both lists are sorted by test.
        let is_in = |list: &[Quarantined]| list.binary_search_by_key(&test, |quarantined| quarantined.test).is_ok();
        is_in(&self.failing) || is_in(&self.unstable)
    }

    /// The number of JVMs, of the `jobs` that the user allows, that may run tests at the same time.
    #[must_use]
    pub fn jobs(&self, jobs: usize) -> usize {
        if self.competing.is_empty() { jobs } else { 1 }
    }

    /// Whether the test takes far longer than similar tests.
    #[must_use]
    pub fn is_slow(&self, test: TestId) -> bool {
        self.slow.binary_search(&test).is_ok()
    }

    /// Whether the test may write files.
    #[must_use]
    pub fn may_write(&self, test: TestId) -> bool {
        self.writing.binary_search(&test).is_ok()
    }

    /// Whether the test can depend on chance.
    #[must_use]
    pub fn is_by_chance(&self, test: TestId) -> bool {
        self.by_chance.binary_search(&test).is_ok()
    }

    /// Time of the test on the original code, in milliseconds: wall time, or CPU time if that is more (several threads).
    #[must_use]
    pub fn milliseconds(&self, test: TestId) -> u64 {
        let (cpu, wall) = self.cpu_and_wall_milliseconds(test);
        cpu.max(wall)
    }

    /// CPU time and wall time of the test on the original code.
    #[must_use]
    pub fn cpu_and_wall_milliseconds(&self, test: TestId) -> (u64, u64) {
        let of = |times: &IdSlice<TestId, u64>| times.get(test).copied().unwrap_or(0) / 1_000_000;
        (of(&self.cpu_nanoseconds), of(&self.nanoseconds))
    }

    /// Joins the coverage of all recipes. Tests get new numbers, recipe by recipe; methods have the same number in
    /// each recipe.
    #[must_use]
    pub fn join(parts: IdVec<RecipeId, Self>) -> Self {
        let mut all = Self::default();
        for (recipe, part) in parts.into_iter_enumerated() {
            all.append(recipe, part);
        }
        all.clean_start_methods = all.clean_start_methods.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        all
    }

    fn append(&mut self, recipe: RecipeId, part: Self) {
        let offset = self.tests.len();
        let shifted = |tests: Vec<TestId>| tests.into_iter().map(move |test| TestId::new(offset + test.index()));
        let shifted_quarantined = |quarantined: Vec<Quarantined>| {
            quarantined
                .into_iter()
                .map(move |entry| Quarantined { test: TestId::new(offset + entry.test.index()), ..entry })
        };
        self.tests.extend(part.tests.into_iter().map(|test| Test { recipe, ..test }));
        self.nanoseconds.extend(part.nanoseconds);
        self.cpu_nanoseconds.extend(part.cpu_nanoseconds);
        self.start_up_nanoseconds = self.start_up_nanoseconds.max(part.start_up_nanoseconds);
        self.failing.extend(shifted_quarantined(part.failing));
        self.unstable.extend(shifted_quarantined(part.unstable));
        self.clean_start_tests.extend(shifted(part.clean_start_tests));
        self.slow.extend(shifted(part.slow));
        self.competing.extend(shifted(part.competing));
        self.by_chance.extend(shifted(part.by_chance));
        self.writing.extend(shifted(part.writing));
        self.clean_start_methods.extend(part.clean_start_methods);
        self.covering.resize(self.covering.len().max(part.covering.len()), Vec::new());
        for (all, covering) in self.covering.iter_mut().zip(part.covering) {
            all.extend(shifted(covering));
        }
        self.quarantined_covering.resize(self.covering.len(), Vec::new());
        for (all, covering) in self.quarantined_covering.iter_mut().zip(part.quarantined_covering) {
            all.extend(shifted(covering));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(name: &str, covering: &[&[u32]], tests: usize) -> Coverage {
        let test = |number: usize| Test {
            id: number.to_string(),
            name: format!("{name}{number}"),
            class: name.into(),
            recipe: RecipeId(0),
        };
        Coverage {
            tests: (0..tests).map(test).collect(),
            nanoseconds: vec![1; tests].into(),
            covering: covering.iter().map(|tests| tests.iter().copied().map(TestId).collect()).collect(),
            quarantined_covering: vec![Vec::new(); covering.len()].into(),
            clean_start_methods: vec![MethodId(1)],
            clean_start_tests: vec![TestId(0)],
            slow: vec![TestId(1)],
            competing: vec![TestId(0)],
            failing: vec![Quarantined { test: TestId::new(tests - 1), reason: "no".into() }],
            ..Coverage::default()
        }
    }

    #[test]
    fn tests_get_new_numbers_and_methods_keep_theirs() {
        let all = Coverage::join(vec![coverage("a", &[&[0], &[1]], 2), coverage("b", &[&[], &[0]], 3)].into());
        assert_eq!(all.tests.iter().map(|test| test.recipe.0).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
        assert_eq!(all.covering, [vec![TestId(0)], vec![TestId(1), TestId(2)]]);
        assert_eq!(
            (all.clean_start_methods, all.clean_start_tests, all.slow),
            (vec![MethodId(1)], [0, 2].map(TestId).to_vec(), [1, 3].map(TestId).to_vec())
        );
        assert_eq!(all.competing, [0, 2].map(TestId));
        assert_eq!(all.failing.iter().map(|failing| failing.test).collect::<Vec<_>>(), [1, 4].map(TestId));
    }
}
