//! Runs candidates on the original and on the transformed code, and keeps the expressions that
//! differ.

use crate::base::error::Result;
use crate::base::id::{ExpressionId, GuardId, TestId, TransformationId};
use crate::fix::candidate::Candidate;
use crate::fix::source::library::Library;
use crate::fix::trial::bench::{Benches, MACHINES, RunOrder};
use crate::fix::trial::compile::compile_candidates;
use crate::fix::trial::entered::{EnteredMethods, add_to_groups};
use crate::fix::trial::exploration::{CandidateKey, Exploration, Group};
use crate::fix::trial::run_result::RunResult;
use crate::fix::trial::test_name::{is_named, tried_name};
use crate::fix::trial::trial_test::TrialTest;
use crate::fix::trial::witnesses::{Originals, Reader};
use crate::fix::trial::workshop::Workshop;
use crate::jvm::protocol::FoundTest;
use crate::observe::difference::differences;
use crate::observe::{Observed, Recording, Site};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of additional runs of the original code if a method draws random values: a value that
/// is the same in few runs may be so by chance.
const RANDOM_RUNS: usize = 20;

/// Runs the candidates of all groups.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn explore(workshop: &mut Workshop<'_>, library: &Library<'_>, groups: &[Group]) -> Result<Exploration> {
    let mut all: Vec<(CandidateKey, &Candidate)> = Vec::new();
    for (group, of_group) in groups.iter().enumerate() {
        let keyed = of_group.candidates.iter().enumerate();
        all.extend(keyed.map(|(candidate, of_key)| (CandidateKey { group, candidate }, of_key)));
    }
    let mut numbers: BTreeMap<CandidateKey, usize> = BTreeMap::new();
    let mut expressions = 0;
    for (key, candidate) in &all {
        numbers.insert(*key, expressions);
        expressions += candidate.probes.len();
    }
    let entered = vec![EnteredMethods::default(); groups.len()];
    let evaluated = vec![0; groups.len()];
    let mut exploration = Exploration { entered, evaluated, ..Exploration::default() };
    let Some((classes, compiled)) = compile_candidates(workshop, &library.sources, &all, &numbers)? else {
        return Ok(exploration);
    };
    let benches = workshop.benches(&classes, expressions);
    let found = benches.tests(&test_classes(library, &compiled))?;
    let tests = trial_tests(library, &all, &found);
    let expressions = (0..expressions).map(ExpressionId::new).collect();
    let trial = Trial { groups, tests: &tests, expressions };
    let (original, open) = trial.first_runs(&benches, &mut exploration.entered)?;
    exploration.evaluated = trial.evaluated(&original);
    benches.change_over();
    let (originals, transformed) = trial.second_runs(&benches, original, &open, &mut exploration.entered)?;
    workshop.clear_away();
    let reader = Reader { groups, tests: &tests, numbers: &numbers, originals: &originals };
    for (open, second) in open.into_iter().zip(transformed) {
        reader.read(open.group, open.transformation, vec![open.transformed, second], &mut exploration);
    }
    Ok(exploration)
}

/// The tests among those found that belong to candidates, numbered in the order of the candidates.
fn trial_tests<'t>(
    library: &Library<'_>,
    all: &[(CandidateKey, &Candidate)],
    found: &'t [FoundTest],
) -> Vec<TrialTest<'t>> {
    let mut tests: Vec<TrialTest<'t>> = Vec::new();
    for (position, (key, candidate)) in all.iter().enumerate() {
        let runners = library.runners(candidate.place, candidate.is_new());
        let name = tried_name(position);
        for test in found.iter().filter(|test| is_named(test, &name) && runners.contains(&test.class)) {
            let number = TestId::new(tests.len());
            tests.push(TrialTest { number, key: *key, id: test.id.as_str() });
        }
    }
    tests
}

/// Test classes (binary names) that run the tests of these candidates.
fn test_classes(library: &Library<'_>, candidates: &[&Candidate]) -> Vec<String> {
    let places: BTreeSet<_> = candidates.iter().map(|candidate| (candidate.place, candidate.is_new())).collect();
    let mut classes: BTreeSet<String> = BTreeSet::new();
    for (place, is_new) in places {
        classes.extend(library.runners(place, is_new).iter().cloned());
    }
    classes.into_iter().collect()
}

/// A transformation that differs in the first runs, in these tests.
struct Open {
    group: usize,
    transformation: TransformationId,
    tests: BTreeSet<TestId>,
    /// The JVM in which it ran first.
    bench: usize,
    transformed: Arc<Recording>,
}

/// The tests of all candidates, and the expressions that are recorded in them.
struct Trial<'t> {
    groups: &'t [Group],
    tests: &'t [TrialTest<'t>],
    expressions: Vec<ExpressionId>,
}

impl<'t> Trial<'t> {
    /// The tests whose number and group are wanted.
    fn select(&self, wanted: impl Fn(TestId, usize) -> bool) -> Vec<(TestId, &'t str)> {
        let wanted = self.tests.iter().filter(|test| wanted(test.number, test.key.group));
        wanted.map(|test| (test.number, test.id)).collect()
    }

    fn note(&self, entered: &mut [EnteredMethods], result: &RunResult, tests: &[(TestId, &str)]) {
        let group_of = |number: TestId| self.tests.get(number.index()).map(|test| test.key.group);
        add_to_groups(entered, result, tests, group_of);
    }

    /// Adds up the results of runs of different tests.
    fn sum<'o>(
        &self,
        entered: &mut [EnteredMethods],
        results: impl Iterator<Item = ((usize, RunResult), &'o RunOrder<'o>)>,
    ) -> RunResult {
        let mut all = RunResult::default();
        for ((_, result), order) in results {
            self.note(entered, &result, &order.tests);
            all.add(result);
        }
        all
    }

    /// For each group, the number of its expressions that this run has a value of.
    fn evaluated(&self, run: &Recording) -> Vec<usize> {
        let mut evaluated: Vec<BTreeSet<Site>> = vec![BTreeSet::new(); self.groups.len()];
        for key in run.observations.keys() {
            let group = self.tests.get(key.test.index()).and_then(|test| evaluated.get_mut(test.key.group));
            if let (Some(sites), Site::Expression(_)) = (group, key.site) {
                sites.insert(key.site);
            }
        }
        evaluated.iter().map(BTreeSet::len).collect()
    }

    fn is_random(&self, group: usize) -> bool {
        self.groups.get(group).is_some_and(|group| group.is_random)
    }

    fn repeats(&self, number: TestId) -> bool {
        let key = self.tests.get(number.index()).map(|test| test.key);
        key.is_some_and(|key| self.groups.get(key.group).is_some_and(|group| group.repeats(key.candidate)))
    }

    /// For each group, the half to which its tests belong. Groups stay whole, and both halves are
    /// about equal.
    fn halves(&self) -> Vec<usize> {
        let mut counts = [0; MACHINES];
        let mut halves = Vec::new();
        for group in 0..self.groups.len() {
            let lighter = usize::from(counts[1] < counts[0]);
            counts[lighter] += self.select(|_, of| of == group).len();
            halves.push(lighter);
        }
        halves
    }

    /// Runs of these tests on the original code: each half from a clean start, in the JVM that
    /// `bench` gives for it.
    fn original_orders(&self, wanted: impl Fn(TestId) -> bool, bench: impl Fn(usize) -> usize) -> Vec<RunOrder<'t>> {
        let halves = self.halves();
        let order = |half: usize| RunOrder {
            bench: Some(bench(half)),
            active: None,
            tests: self.select(|number, group| halves.get(group) == Some(&half) && wanted(number)),
            ahead: 0,
        };
        (0..MACHINES).map(order).collect()
    }

    /// Runs each side once: returns the recording of the original code, and the transformations
    /// that differ from it.
    fn first_runs(&self, benches: &Benches<'_>, entered: &mut [EnteredMethods]) -> Result<(Arc<Recording>, Vec<Open>)> {
        let mut all: Vec<((usize, TransformationId), RunOrder<'_>)> = Vec::new();
        for (group, of_group) in self.groups.iter().enumerate() {
            let tests = self.select(|_, of| of == group);
            for transformation in of_group.transformations.iter().filter(|_| !tests.is_empty()) {
                let active = Some(GuardId::of(*transformation));
                let order = RunOrder { bench: None, active, tests: tests.clone(), ahead: 0 };
                all.push(((group, *transformation), order));
            }
        }
        // The longest first, so that neither JVM waits for it at the end.
        all.sort_by_key(|(_, order)| Reverse(order.tests.len()));
        let (of_orders, transformed): (Vec<(usize, TransformationId)>, Vec<RunOrder<'_>>) = all.into_iter().unzip();
        let mut orders = self.original_orders(|_| true, |half| benches.turn(half));
        orders.extend(transformed);
        let mut results = benches.run(&orders, &self.expressions)?.into_iter().zip(&orders);
        let original = self.sum(entered, results.by_ref().take(MACHINES));
        let (stuck, original) = (original.stuck, Arc::new(original.recording));
        let mut open: Vec<Open> = Vec::new();
        for (((bench, result), order), (group, transformation)) in results.zip(of_orders) {
            self.note(entered, &result, &order.tests);
            let transformed = Arc::new(result.recording);
            let observed = Observed {
                original: vec![Arc::clone(&original)],
                transformed: vec![Arc::clone(&transformed)],
                ..Observed::default()
            };
            let ended: Vec<_> = order.tests.iter().copied().filter(|(number, _)| !stuck.contains(number)).collect();
            let tests = differing_tests(&observed, &ended);
            if !tests.is_empty() {
                open.push(Open { group, transformation, tests, bench, transformed });
            }
        }
        open.sort_by_key(|open| (open.group, open.transformation));
        Ok((original, open))
    }

    /// Runs what differs once more, in the other JVM. Tests that did not differ need no second run.
    fn second_runs(
        &self,
        benches: &Benches<'_>,
        original: Arc<Recording>,
        open: &[Open],
        entered: &mut [EnteredMethods],
    ) -> Result<(Originals, Vec<Arc<Recording>>)> {
        let differing: BTreeSet<TestId> = open.iter().flat_map(|open| open.tests.iter().copied()).collect();
        let mut orders = self.original_orders(|number| differing.contains(&number), |half| 1 - benches.turn(half));
        orders.extend(open.iter().map(|open| RunOrder {
            bench: Some(1 - open.bench),
            active: Some(GuardId::of(open.transformation)),
            tests: self.select(|number, _| open.tests.contains(&number)),
            ahead: 0,
        }));
        let mut results = benches.run(&orders, &self.expressions)?.into_iter().zip(&orders);
        let second = self.sum(entered, results.by_ref().take(MACHINES));
        let stuck = second.stuck;
        let all = vec![original, Arc::new(second.recording)];
        let mut transformed = Vec::new();
        for ((_, result), order) in results {
            self.note(entered, &result, &order.tests);
            transformed.push(Arc::new(result.recording));
        }
        // An expression that is evaluated once in a run may be the same in both runs by chance.
        let by_chance = self.select(|number, group| {
            differing.contains(&number) && self.is_random(group) && !self.repeats(number) && !stuck.contains(&number)
        });
        let mut of_random = all.clone();
        if !by_chance.is_empty() {
            benches.run_in(1, |bench| {
                for run in 0..RANDOM_RUNS {
                    let result = match run {
                        0 => bench.run(None, &by_chance, &self.expressions)?,
                        _ => bench.run_again(None, &by_chance, &self.expressions)?,
                    };
                    self.note(entered, &result, &by_chance);
                    of_random.push(Arc::new(result.recording));
                }
                Ok(())
            })?;
        }
        Ok((Originals { all, of_random }, transformed))
    }
}

/// The tests in which the two sides differ, among those that ran on both sides.
///
/// The original code also runs other tests, and an exception in one of these counts as a difference
/// if the other side has none.
fn differing_tests(observed: &Observed, ran: &[(TestId, &str)]) -> BTreeSet<TestId> {
    let ran: BTreeSet<TestId> = ran.iter().map(|(number, _)| *number).collect();
    differences(observed).into_iter().map(|found| found.key.test).filter(|test| ran.contains(test)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Part;
    use crate::observe::recorded::{Recorded, observed, property, test_key};

    #[test]
    fn an_exception_in_a_test_that_ran_on_one_side_only_is_no_difference() {
        let thrown = |test: u32| (test_key(test, 1, 1), [property(Part::Exception, "", "a.E", "a.E")]);
        let recorded = |tests: &[u32]| {
            tests
                .iter()
                .map(|test| thrown(*test))
                .fold(Recorded::default(), |all, (key, thrown)| all.state(key, thrown))
        };
        let observed = observed(&[&recorded(&[1, 2])], &[&recorded(&[])]);
        assert_eq!(
            differing_tests(&observed, &[(TestId(1), ""), (TestId(2), "")]),
            BTreeSet::from([TestId(1), TestId(2)])
        );
        assert_eq!(differing_tests(&observed, &[(TestId(1), "")]), BTreeSet::from([TestId(1)]));
    }
}
