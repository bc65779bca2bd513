//! Runs tests that can depend on chance with other seeds: what they notice with some seeds only is
//! no detection.

use super::judge::{Judge, up_to};
use super::runner::{Failure, Seen};
use super::way::Way;
use crate::base::error::Result;
use crate::base::id::{GuardId, TestId};

/// The number of seeds with which a test that can depend on chance has to fail. One that fails in a
/// quarter of its runs fails with all of them once in a million times.
const WORLDS: u32 = 10;
/// The number of these that always have a clean start. The others begin in the class loader of the
/// run before, which takes far less time, and what is seen there only is looked at again from a
/// clean start.
const CLEAN_WORLDS: u32 = 3;

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
                self.sometimes.insert(culprit);
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

    /// Finds the tests that notice with other seeds, among those that can depend on chance.
    pub(super) fn try_other_seeds(&mut self, guard: GuardId, tests: &[TestId]) -> Result<()> {
        let coverage = self.stage.coverage;
        let is_open = |test: &TestId, judge: &Self| coverage.is_by_chance(*test) && !judge.sometimes.contains(test);
        let mut open: Vec<TestId> = tests.iter().copied().filter(|test| is_open(test, self)).collect();
        for world in 1..WORLDS {
            let way = if world < CLEAN_WORLDS { Way::Clean } else { Way::Warm };
            while !open.is_empty() {
                let culprit = match self.run_in_world(world, Some(guard), &open, way)? {
                    Seen::Failed(failure) if !failure.of_class => {
                        let (culprit, same) = (failure.kill.test, up_to(&open, failure.kill.test).to_vec());
                        let fails =
                            way == Way::Clean || self.fails_in_world(world, guard, &same, &failure, Way::Clean)?;
                        if fails && self.run_in_world(world, None, &same, Way::Clean)?.clears(&failure) {
                            self.sometimes.insert(culprit);
                        }
                        culprit
                    }
                    Seen::Late(test) | Seen::Died(Some(test)) => test,
                    Seen::AllPassed | Seen::Failed(_) | Seen::Died(None) | Seen::Broken(_) => break,
                };
                open.retain(|test| *test != culprit);
            }
        }
        Ok(())
    }
}
