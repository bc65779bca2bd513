//! The runs of an earlier analysis, what has changed in the project, and what the runs show about test classes.

use crate::base::id::{IdSlice, MethodId, TestId};
use crate::cover::coverage::Test;
use crate::cover::recorded_runs::RecordedRuns;
use crate::cover::run_log::{RunLog, entered_before};
use crate::jvm::protocol::{Finished, Outcome};
use crate::recipe::TestLoader;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The runs of a recipe's tests in an earlier analysis, and what has changed in the project.
#[derive(Clone, Copy, Debug)]
pub struct EarlierRuns<'a> {
    /// The class loader in which the tests ran.
    pub loader: TestLoader,
    pub runs: &'a RecordedRuns,
    /// Methods whose bodies have changed.
    pub changed_methods: &'a BTreeSet<MethodId>,
    /// Binary names of the test classes that have changed, or use a class that has.
    pub changed_test_classes: &'a BTreeSet<String>,
}

impl EarlierRuns<'_> {
    /// Top-level test classes that an edit reaches: they contain a changed class, or one of their tests, or something
    /// between them and a neighbour, entered a changed body in an earlier run.
    pub(super) fn classes_reached(&self) -> BTreeSet<String> {
        let top_level = |class: &String| class.split('$').next().unwrap_or(class).to_owned();
        let mut reached: BTreeSet<String> = self.changed_test_classes.iter().map(top_level).collect();
        for log in &self.runs.logs {
            let mut previous = None;
            for result in &log.finished {
                let class = self.runs.tests.get(result.number).map(Test::top_level_class);
                if self.enters_change(result) {
                    reached.extend(class.map(str::to_owned));
                }
                if self.has_change(&entered_before(result)) {
                    reached.extend(previous.map(str::to_owned));
                }
                previous = class;
            }
            if self.has_change(&log.entered_after) {
                reached.extend(previous.map(str::to_owned));
            }
        }
        reached
    }

    pub(super) fn enters_change(&self, result: &Finished) -> bool {
        self.has_change(&result.entered) || self.has_change(&result.set_up)
    }

    pub(super) fn has_change(&self, methods: &[MethodId]) -> bool {
        methods.iter().any(|method| self.changed_methods.contains(method))
    }

    /// Top-level classes that changed, in some earlier run, what all tests of a JVM share (properties, streams).
    pub(super) fn disturbing_classes(&self) -> BTreeSet<&str> {
        let results = self.runs.logs.iter().flat_map(|log| &log.finished);
        let disturbing = results.filter(|result| result.disturbs);
        disturbing.filter_map(|result| self.runs.tests.get(result.number)).map(Test::top_level_class).collect()
    }

    /// Disturbing classes that an edit reaches: any class that runs after one of these may behave differently.
    #[must_use]
    pub(crate) fn reached_disturbing_classes(&self) -> Vec<&str> {
        let reached = self.classes_reached();
        self.disturbing_classes().into_iter().filter(|class| reached.contains(*class)).collect()
    }

    /// By the identifier of each test: methods entered in it or before it from one clean start, but not from the other.
    pub(super) fn varying_methods(&self) -> HashMap<&str, BTreeSet<MethodId>> {
        let [first, _, clean] = &self.runs.logs;
        let (first, clean) = (methods_by_test(first), methods_by_test(clean));
        let mut varying = HashMap::new();
        for (number, methods) in &first {
            let Some((test, clean)) = self.runs.tests.get(*number).zip(clean.get(number)) else { continue };
            let difference: BTreeSet<MethodId> = methods ^ clean;
            if !difference.is_empty() {
                varying.insert(test.id.as_str(), difference);
            }
        }
        varying
    }

    /// Flaky tests, by their earlier numbers. They are quarantined, so what they do now says nothing new.
    pub(super) fn flaky_tests(&self) -> BTreeSet<TestId> {
        let mut outcomes: BTreeMap<TestId, [Option<Outcome>; 3]> = BTreeMap::new();
        for (index, log) in self.runs.logs.iter().enumerate() {
            for result in &log.finished {
                if let Some(outcome) = outcomes.entry(result.number).or_default().get_mut(index) {
                    *outcome = Some(result.outcome);
                }
            }
        }
        let is_flaky = |[first, again, clean]: &[Option<Outcome>; 3]| {
            first.is_none() || again.is_none() || first != clean || (first != again && *again != Some(Outcome::Failed))
        };
        outcomes.into_iter().filter(|(_, outcomes)| is_flaky(outcomes)).map(|(number, _)| number).collect()
    }
}

fn methods_by_test(log: &RunLog) -> HashMap<TestId, BTreeSet<MethodId>> {
    let mut methods: HashMap<TestId, BTreeSet<MethodId>> = HashMap::new();
    for result in &log.finished {
        let entered = result.between().chain(result.entered.iter().copied());
        methods.entry(result.number).or_default().extend(entered);
    }
    methods
}

/// The present numbers of the tests that had these `numbers` among the `earlier` tests.
pub(crate) fn same_tests(
    earlier: &IdSlice<TestId, Test>,
    numbers: &BTreeSet<TestId>,
    tests: &IdSlice<TestId, Test>,
) -> Vec<TestId> {
    let earlier = numbers.iter().filter_map(|test| earlier.get(*test));
    let ids: BTreeSet<&str> = earlier.map(|test| test.id.as_str()).collect();
    tests.iter_enumerated().filter(|(_, test)| ids.contains(test.id.as_str())).map(|(number, _)| number).collect()
}

/// Calls `check` with these runs, after an edit of the bodies of these methods and of these test classes.
#[cfg(test)]
pub(super) fn after_edit<T>(
    runs: &RecordedRuns,
    methods: &[u32],
    test_classes: &[&str],
    check: impl FnOnce(&EarlierRuns<'_>) -> T,
) -> T {
    let changed_methods = methods.iter().copied().map(MethodId).collect();
    let changed_test_classes = test_classes.iter().map(|class| (*class).to_owned()).collect();
    check(&EarlierRuns {
        loader: TestLoader::Isolated,
        runs,
        changed_methods: &changed_methods,
        changed_test_classes: &changed_test_classes,
    })
}
