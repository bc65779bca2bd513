//! Runs tests that can depend on chance with other seeds: what they notice with some seeds only is
//! no detection.

use super::judge::Judge;
use super::runner::{Failure, Seen};
use super::way::Way;
use crate::base::error::Result;
use crate::base::id::{GuardId, TestId};
use crate::cover::Test;
use std::collections::{BTreeMap, BTreeSet};

/// The number of seeds with which a test that can depend on chance has to fail. One that fails in a
/// quarter of its runs fails with all of them once in a million times.
const WORLDS: u32 = 10;
/// The number of these that always have a clean start. The others begin in the class loader of the
/// run before, which takes far less time, and what is seen there only is looked at again from a
/// clean start.
const CLEAN_WORLDS: u32 = 3;
/// A test that takes longer, in milliseconds, shows only with the first seeds whether it notices
/// something now and then. Benchmarks among the tests read the clock. All invocations of a test
/// count together.
const LONG: u64 = 200;

/// The outcomes of a test with the seeds that were tried.
#[derive(Clone, Copy, Default)]
struct Tried {
    passed: bool,
    /// The first seed with which it failed.
    failed: Option<u32>,
}

impl Judge<'_, '_> {
    /// Runs these tests with other seeds.
    fn run_in_world(&mut self, world: u32, guard: Option<GuardId>, tests: &[TestId], way: Way) -> Result<Seen> {
        self.runner.world = world;
        let seen = self.runner.run(guard, tests, way);
        self.runner.world = 0;
        seen
    }

    /// Whether a test that can depend on chance fails whatever it draws.
    pub(super) fn fails_with_other_seeds(
        &mut self,
        guard: GuardId,
        tests: &[TestId],
        failure: &Failure,
        way: Way,
    ) -> Result<bool> {
        let (culprit, coverage) = (failure.kill.test, self.stage.coverage);
        if failure.of_class || !coverage.is_by_chance(culprit) {
            return Ok(true);
        }
        // Most tests need no other tests before them.
        let alone = [culprit];
        let fails_alone = self.runner.run(Some(guard), &alone, Way::Clean)?.is_again(failure);
        let (tests, way) = if fails_alone { (&alone[..], Way::Clean) } else { (tests, way) };
        for world in 1..WORLDS {
            let is_enough =
                fails_alone && world >= CLEAN_WORLDS && self.fails_in_world(world, guard, tests, failure, Way::Warm)?;
            if !is_enough && !self.fails_in_world(world, guard, tests, failure, way)? {
                self.runner.sometimes.insert(culprit);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the same test fails, or does not end, with other seeds.
    fn fails_in_world(
        &mut self,
        world: u32,
        guard: GuardId,
        tests: &[TestId],
        failure: &Failure,
        way: Way,
    ) -> Result<bool> {
        let seen = self.run_in_world(world, Some(guard), tests, way)?;
        Ok(seen.is_again(failure) || matches!(seen, Seen::Late(test) if test == failure.kill.test))
    }

    /// Finds the tests that notice with some seeds only, among those that can depend on chance. With
    /// `has_passed`, all of them passed with the first seed.
    pub(super) fn try_seeds(&mut self, guard: GuardId, tests: &[TestId], has_passed: bool) -> Result<()> {
        let coverage = self.stage.coverage;
        let is_open = |test: &&TestId| coverage.is_by_chance(**test) && !self.runner.sometimes.contains(test);
        let tests: Vec<TestId> = tests.iter().filter(is_open).copied().collect();
        let mut open: BTreeMap<TestId, Tried> =
            tests.iter().map(|test| (*test, Tried { passed: has_passed, failed: None })).collect();
        let long = self.long_tests(&tests);
        for world in u32::from(has_passed)..WORLDS {
            let is_tried = |test: &TestId| world < CLEAN_WORLDS || !long.contains(test);
            let now: Vec<TestId> =
                tests.iter().filter(|test| open.contains_key(test) && is_tried(test)).copied().collect();
            if now.is_empty() {
                break;
            }
            self.try_seed(world, guard, now, &mut open)?;
            let both = |tried: &Tried| tried.failed.filter(|_| tried.passed);
            let settled: BTreeMap<TestId, u32> =
                open.iter().filter_map(|(test, tried)| Some((*test, both(tried)?))).collect();
            open.retain(|test, _| !settled.contains_key(test));
            let seeds: BTreeSet<u32> = settled.values().copied().collect();
            for seed in seeds {
                let group: Vec<TestId> =
                    tests.iter().filter(|test| settled.get(test) == Some(&seed)).copied().collect();
                self.confirm_seed(seed, guard, &group)?;
            }
        }
        Ok(())
    }

    /// The tests that take long, with all of their invocations.
    fn long_tests(&self, tests: &[TestId]) -> BTreeSet<TestId> {
        let coverage = self.stage.coverage;
        let method = |test: TestId| coverage.tests.get(test).map(Test::method);
        let mut by_method: BTreeMap<Option<&str>, u64> = BTreeMap::new();
        for test in tests {
            *by_method.entry(method(*test)).or_default() += coverage.milliseconds(*test);
        }
        let is_long = |test: &TestId| by_method.get(&method(*test)).is_some_and(|time| *time > LONG);
        tests.iter().copied().filter(is_long).collect()
    }

    /// Runs all of these tests with one seed. A test that does not end is not tried with others.
    fn try_seed(
        &mut self,
        world: u32,
        guard: GuardId,
        mut tests: Vec<TestId>,
        open: &mut BTreeMap<TestId, Tried>,
    ) -> Result<()> {
        let way = if world < CLEAN_WORLDS { Way::Clean } else { Way::Warm };
        while !tests.is_empty() {
            let seen = self.run_to_the_end(world, Some(guard), &tests, way)?;
            let (failed, passed) = self.runner.failed_and_passed();
            for (test, tried) in open.iter_mut() {
                tried.passed |= passed.contains(test);
                tried.failed = tried.failed.or(failed.contains(test).then_some(world));
            }
            let (Seen::Late(ended) | Seen::Died(Some(ended))) = seen else { break };
            open.remove(&ended);
            tests.retain(|test| *test != ended && !failed.contains(test) && !passed.contains(test));
        }
        Ok(())
    }

    /// Notes which of these tests fail with this seed from a clean start as well, and only with the
    /// transformation.
    fn confirm_seed(&mut self, world: u32, guard: GuardId, tests: &[TestId]) -> Result<()> {
        self.run_to_the_end(world, Some(guard), tests, Way::Clean)?;
        let failed: Vec<TestId> = self.runner.failed_and_passed().0.into_iter().collect();
        if !failed.is_empty() {
            self.run_to_the_end(world, None, tests, Way::Clean)?;
            let passed = self.runner.failed_and_passed().1;
            self.runner.sometimes.extend(failed.into_iter().filter(|test| passed.contains(test)));
        }
        Ok(())
    }

    /// Runs these tests with other seeds, whether they fail or not.
    fn run_to_the_end(&mut self, world: u32, guard: Option<GuardId>, tests: &[TestId], way: Way) -> Result<Seen> {
        self.runner.runs_all = true;
        let seen = self.run_in_world(world, guard, tests, way);
        self.runner.runs_all = false;
        seen
    }
}
