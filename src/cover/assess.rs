//! Turns the three runs of the tests into coverage: which tests fail, are flaky, compete or are slow, and which methods
//! each test enters.

use super::coverage::{Coverage, Quarantined, Test};
use super::fixture_coverage::FixtureCoverage;
use super::run_log::Results;
use super::slow::slow_positions;
use crate::base::id::{IdSlice, IdVec, MethodId, TestId};
use crate::jvm::protocol::{Finished, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// All that the runs show about the tests, by their numbers.
pub(super) struct Evidence<'a> {
    pub(super) tests: &'a IdSlice<TestId, Test>,
    /// The runs from a clean start, again in the same class loader, and from another clean start.
    pub(super) runs: &'a [Results; 3],
    /// Tests that hung or ended the JVM.
    pub(super) given_up: &'a Results,
    pub(super) fixtures: &'a FixtureCoverage,
    /// Tests that ran only in the first run. The other runs have copies of these results.
    pub(super) run_once: &'a BTreeSet<TestId>,
    /// Tests that pass alone, but fail while another JVM runs them too.
    pub(super) competing: &'a BTreeSet<TestId>,
    /// Flaky tests that showed it only beside another JVM.
    pub(super) flaky: &'a Results,
}

pub(super) struct Assessment {
    pub(super) coverage: Coverage,
    /// Tests that fail each time, or from one of the clean starts: they may pass in another class loader.
    pub(super) suspects: Vec<TestId>,
}

/// The meaning of a test's outcomes in the three runs.
enum Behaviour {
    /// It passes, or is skipped, each time.
    Stable,
    Fails,
    /// It passes from a clean start, but fails when it runs again in the same class loader.
    PassesFromCleanStart,
    Flaky,
}

/// Assesses all tests that ran. The container of parameterised tests never runs itself and is left out.
pub(super) fn assess(evidence: &Evidence<'_>, methods: usize) -> Assessment {
    let ran: IdVec<TestId, TestId> =
        evidence.tests.indices().filter(|test| evidence.runs.iter().any(|run| run.contains_key(test))).collect();
    let mut assessor = Assessor::new(evidence, methods);
    for (position, test) in ran.iter_enumerated() {
        assessor.add_outcomes(position, *test);
        assessor.add_times(*test);
        assessor.add_entered_methods(position, *test);
        assessor.add_clean_start_methods(*test);
    }
    let mut coverage = assessor.coverage;
    coverage.slow = slow_positions(evidence.tests, &ran, evidence.runs, evidence.run_once);
    coverage.clean_start_methods =
        assessor.clean_start_methods.into_iter().filter(|method| method.index() < methods).collect();
    let competing = ran.iter_enumerated().filter(|(_, test)| evidence.competing.contains(test));
    coverage.competing = competing.map(|(position, _)| position).collect();
    coverage.tests = ran.iter().filter_map(|test| evidence.tests.get(*test).cloned()).collect();
    Assessment { coverage, suspects: assessor.suspects }
}

/// The coverage under construction. `test` is the number of a test in the runs, `position` its index in the coverage.
struct Assessor<'a> {
    evidence: &'a Evidence<'a>,
    coverage: Coverage,
    suspects: Vec<TestId>,
    clean_start_methods: BTreeSet<MethodId>,
    /// Classes with a test that ran only once.
    classes_run_once: BTreeSet<&'a str>,
}

impl<'a> Assessor<'a> {
    fn new(evidence: &'a Evidence<'a>, methods: usize) -> Self {
        let coverage = Coverage {
            covering: vec![Vec::new(); methods].into(),
            quarantined_covering: vec![Vec::new(); methods].into(),
            ..Coverage::default()
        };
        let run_once = evidence.run_once.iter().filter_map(|test| evidence.tests.get(*test));
        Self {
            evidence,
            coverage,
            suspects: Vec::new(),
            clean_start_methods: methods_of_tests_run_once(evidence),
            classes_run_once: run_once.map(|test| test.class.as_str()).collect(),
        }
    }

    fn results(&self, test: TestId) -> [Option<&'a Finished>; 3] {
        self.evidence.runs.each_ref().map(|run| run.get(&test))
    }

    /// Quarantines the test if it fails or is flaky.
    fn add_outcomes(&mut self, position: TestId, test: TestId) {
        let results = self.results(test);
        let outcomes = results.map(|result| result.map(|result| result.outcome));
        let failure = results.into_iter().flatten().find(|result| result.outcome == Outcome::Failed).map(message);
        match behaviour(outcomes) {
            Behaviour::Stable => {}
            Behaviour::Fails => {
                let reason = failure.unwrap_or_default();
                self.coverage.failing.push(Quarantined { test: position, reason });
                if !self.evidence.given_up.contains_key(&test) {
                    self.suspects.push(position);
                }
            }
            Behaviour::PassesFromCleanStart => self.coverage.clean_start_tests.push(position),
            Behaviour::Flaky => {
                let fails_later = matches!(outcomes, [Some(Outcome::Passed), _, Some(Outcome::Failed)]);
                if fails_later && !self.evidence.flaky.contains_key(&test) {
                    self.suspects.push(position);
                }
                let reason = match failure {
                    Some(message) if !message.is_empty() => format!("fails sometimes: {message}"),
                    _ => "it is not run each time".to_owned(),
                };
                self.coverage.unstable.push(Quarantined { test: position, reason });
            }
        }
    }

    fn add_times(&mut self, test: TestId) {
        let results = self.results(test);
        let longest = |time: fn(&Finished) -> u64| results.into_iter().flatten().map(time).max().unwrap_or(0);
        self.coverage.nanoseconds.push(longest(|result| result.nanoseconds));
        self.coverage.cpu_nanoseconds.push(longest(|result| result.cpu_nanoseconds));
        if let [Some(first), Some(again), Some(clean)] = results {
            let time = |result: &Finished| result.nanoseconds.max(result.cpu_nanoseconds);
            let class = self.evidence.tests.get(test).map(|test| test.class.as_str());
            // A test that ran only once may do set-up for its class: then another test did it in the third run only.
            let has_set_up_in_third_run_only = class.is_some_and(|class| self.classes_run_once.contains(class));
            let with_set_up = if has_set_up_in_third_run_only { time(clean) } else { time(first).min(time(clean)) };
            let set_up = with_set_up.saturating_sub(time(again));
            self.coverage.start_up_nanoseconds = self.coverage.start_up_nanoseconds.max(set_up);
        }
    }

    /// Adds the test to the methods that it, or a fixture of it, entered from a clean start.
    fn add_entered_methods(&mut self, position: TestId, test: TestId) {
        let results = self.results(test);
        let has_run = |result: &Finished| matches!(result.outcome, Outcome::Passed | Outcome::Failed);
        if !results.into_iter().flatten().any(has_run) {
            return;
        }
        let [first, _, clean] = results;
        let mut entered: BTreeSet<MethodId> =
            [first, clean].into_iter().flatten().flat_map(|result| result.entered.iter().copied()).collect();
        entered.extend(self.evidence.tests.get(test).into_iter().flat_map(|test| self.evidence.fixtures.of(test)));
        let covering = if self.coverage.is_quarantined(position) {
            &mut self.coverage.quarantined_covering
        } else {
            &mut self.coverage.covering
        };
        for method in entered {
            if let Some(tests) = covering.get_mut(method) {
                tests.push(position);
            }
        }
    }

    /// Adds the methods that the test entered from a clean start, but not again in the same class loader.
    fn add_clean_start_methods(&mut self, test: TestId) {
        let [first, Some(again), clean] = self.results(test) else { return };
        // Without the tests that ran only once, another test may be the first to enter a method.
        let clean = clean.filter(|_| first.is_some() && !self.evidence.run_once.is_empty());
        let again = entered_methods(again);
        for clean_start in [first, clean].into_iter().flatten() {
            let only_there = entered_methods(clean_start);
            self.clean_start_methods.extend(only_there.difference(&again).copied());
        }
    }
}

fn behaviour(outcomes: [Option<Outcome>; 3]) -> Behaviour {
    match outcomes {
        [Some(first), Some(again), Some(clean)] if first == again && again == clean => {
            if first == Outcome::Failed {
                Behaviour::Fails
            } else {
                Behaviour::Stable
            }
        }
        [Some(Outcome::Passed), Some(Outcome::Failed), Some(Outcome::Passed)] => Behaviour::PassesFromCleanStart,
        _ => Behaviour::Flaky,
    }
}

/// Methods entered in a test or since the test before it.
fn entered_methods(result: &Finished) -> BTreeSet<MethodId> {
    result.entered.iter().copied().chain(result.between()).collect()
}

/// Methods that only tests entered that ran once: whether they are entered each time is unknown.
fn methods_of_tests_run_once(evidence: &Evidence<'_>) -> BTreeSet<MethodId> {
    let all = || evidence.runs.iter().flat_map(BTreeMap::values);
    let others = || all().filter(|result| !evidence.run_once.contains(&result.number));
    let mut by_others: BTreeSet<MethodId> = others().flat_map(entered_methods).collect();
    // Methods entered before a test that ran once may be set-up of its class, which happens before another test if that
    // one does not run.
    let other_tests = others().filter_map(|result| evidence.tests.get(result.number));
    by_others.extend(other_tests.flat_map(|test| evidence.fixtures.of(test)));
    let by_tests_run_once = all().filter(|result| evidence.run_once.contains(&result.number)).flat_map(entered_methods);
    by_tests_run_once.filter(|method| !by_others.contains(method)).collect()
}

/// The exception and the first line of its message: `java.lang.AssertionError: expected:<1> but was:<2>`.
fn message(failure: &Finished) -> String {
    let first_line = failure.message.lines().next().unwrap_or_default();
    match (failure.exception.is_empty(), first_line.is_empty()) {
        (true, _) => first_line.to_owned(),
        (false, true) => failure.exception.clone(),
        (false, false) => format!("{}: {first_line}", failure.exception),
    }
}
