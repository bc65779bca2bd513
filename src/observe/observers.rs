//! Runs the tests of an observation on original and transformed code, from clean starts in two
//! JVMs.

use super::half::{Half, certain, share};
use super::series::{MACHINES, Post, Series};
use super::{Observed, Site};
use crate::base::error::{Error, Result};
use crate::base::id::{ExpressionId, IdSlice, RecipeId, TestId};
use crate::cover::Coverage;
use crate::jvm::protocol::Unwoven;
use crate::observation::KeyLists;
use crate::run::{Crew, Pool, Task};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// This many groups share two JVMs that run tests at the same time. With fewer groups, all of them
/// sometimes wait for the one JVM that makes a long run.
const SHARING: usize = 9;
/// Runs tests on original and transformed code in a pair of JVMs.
pub struct Observers<'a> {
    /// One for each recipe.
    posts: &'a IdSlice<RecipeId, Post>,
    coverage: &'a Coverage,
    runs: usize,
    /// Whether both JVMs may run tests at the same time.
    at_once: bool,
    /// Number of groups that are observed at the same time, in these JVMs and in others.
    lanes: usize,
    /// Whether each JVM has to end before the other starts; not set until that is known.
    alone: OnceLock<bool>,
    pool: &'a Pool,
    /// Numbers of the two JVMs in the pool.
    slots: [usize; MACHINES],
    /// Nanoseconds of work that each JVM has received so far.
    given: Arc<Mutex<[u64; MACHINES]>>,
    unwoven: Arc<Mutex<BTreeSet<Unwoven>>>,
}

impl<'a> Observers<'a> {
    /// `posts` has one entry for each recipe; `runs` is the number of repetitions on each side,
    /// `jobs` the number of JVMs that may run tests at the same time.
    #[must_use]
    pub fn new(
        posts: &'a IdSlice<RecipeId, Post>,
        coverage: &'a Coverage,
        runs: usize,
        jobs: usize,
        pool: &'a Pool,
    ) -> Self {
        let alone = OnceLock::new();
        if jobs > 1 || !coverage.competing.is_empty() {
            alone.get_or_init(|| jobs == 1);
        }
        Self {
            posts,
            coverage,
            runs,
            at_once: jobs > 1,
            lanes: 1,
            alone,
            pool,
            slots: [0, 1],
            given: Arc::default(),
            unwoven: Arc::default(),
        }
    }

    /// Makes as many observers as can run tests at the same time without waiting much for each
    /// other. They use no more JVMs than `jobs`, except that one job uses two JVMs in turn.
    /// [`SHARING`] observers share two JVMs: one uses a JVM while another waits for the other side,
    /// or compares recordings. With several recipes, whose JVMs differ, none share.
    #[must_use]
    pub fn lanes(
        posts: &'a IdSlice<RecipeId, Post>,
        coverage: &'a Coverage,
        runs: usize,
        jobs: usize,
        pool: &'a Pool,
    ) -> Vec<Self> {
        let sharing = if jobs > 1 && posts.len() == 1 { SHARING } else { 1 };
        let pairs = (jobs / MACHINES).max(1);
        let mut lanes = Vec::new();
        for pair in 0..pairs {
            let slots = [MACHINES * pair, MACHINES * pair + 1];
            let observers = Self { lanes: pairs * sharing, slots, ..Self::new(posts, coverage, runs, jobs, pool) };
            for _ in 0..sharing {
                lanes.push(Self {
                    given: Arc::clone(&observers.given),
                    unwoven: Arc::clone(&observers.unwoven),
                    alone: observers.alone.clone(),
                    ..observers
                });
            }
        }
        lanes
    }

    /// Classes that could not be woven so far, and why.
    #[must_use]
    pub fn unwoven(&self) -> BTreeSet<Unwoven> {
        self.unwoven.lock().clone()
    }

    /// Number of groups that share the memory for the recordings of first runs.
    pub(super) fn sharing(&self) -> u32 {
        u32::try_from(self.lanes).unwrap_or(u32::MAX)
    }

    /// Number of repetitions on each side.
    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// Time of a run of the tests on the original code from a clean start, in nanoseconds.
    pub(super) fn time(&self, tests: &[TestId]) -> u64 {
        let start_up = if tests.is_empty() { 0 } else { self.coverage.start_up_nanoseconds };
        start_up + tests.iter().map(|test| self.coverage.nanoseconds[*test]).sum::<u64>()
    }

    /// Whether the test takes far longer than similar tests.
    pub(super) fn is_slow(&self, test: TestId) -> bool {
        self.coverage.is_slow(test)
    }

    /// All probes of the tests' sources.
    pub(super) fn expressions(&self) -> impl Iterator<Item = Site> {
        self.posts.iter().flat_map(|post| {
            let first = post.first_expression.0;
            (first..first + post.launch.start.expressions).map(|number| Site::Expression(ExpressionId(number)))
        })
    }

    /// Makes these runs on each side, about half of them in each JVM. The result has one entry for
    /// each target.
    ///
    /// # Errors
    /// When a worker cannot be started, or the user interrupts.
    pub(super) fn run(&self, series: Series<'_>, runs: usize) -> Result<Vec<Observed>> {
        let mut by_recipe: BTreeMap<RecipeId, Vec<TestId>> = BTreeMap::new();
        for test in series.tests {
            by_recipe.entry(self.coverage.tests[*test].recipe).or_default().push(*test);
        }
        let mut all = vec![Observed::default(); series.targets.len()];
        let known = KeyLists::default();
        if !series.targets.is_empty() {
            for (recipe, tests) in by_recipe {
                let series = Series { tests: &tests, ..series };
                for (all, part) in all.iter_mut().zip(self.run_recipe(recipe, series, &known, runs)?) {
                    all.add(part);
                }
            }
        }
        Ok(all)
    }

    fn post(&self, recipe: RecipeId) -> Result<&'a Post> {
        self.posts.get(recipe).ok_or_else(|| Error::bug(format!("There is no recipe {recipe}.")))
    }

    /// As [`Self::run`], for tests that all belong to one recipe.
    fn run_recipe(&self, recipe: RecipeId, series: Series<'_>, known: &KeyLists, runs: usize) -> Result<Vec<Observed>> {
        let is_alone = self.alone.get().copied();
        let mut observed = self.halves(recipe, series, known, runs, is_alone.unwrap_or(false))?;
        let fails = |observed: &[Vec<Observed>]| {
            let mut original = observed.iter().flatten().flat_map(|half| &half.original);
            original.any(|run| !run.failed.is_empty())
        };
        if is_alone.is_none() && fails(&observed) {
            // These tests pass if nothing else runs: the JVM that waits may hold what they need.
            self.slots.iter().for_each(|slot| self.pool.end(*slot));
            observed = self.halves(recipe, series, known, runs, true)?;
            self.alone.get_or_init(|| !fails(&observed));
        }
        let mut all = vec![Observed::default(); series.targets.len()];
        for half in observed {
            for (all, half) in all.iter_mut().zip(half) {
                all.original.extend(half.original);
                all.transformed.extend(half.transformed);
            }
        }
        Ok(all)
    }

    /// Numbers of the JVMs for the first and the second half of a series. The JVM that has received
    /// less work so far makes the half with more runs. Observations do not depend on the choice.
    fn assign(&self, series: &Series<'_>, runs: usize) -> [usize; MACHINES] {
        let mut halves = [0, 1].map(|number| share(runs, number) as u64);
        for _ in series.targets {
            match halves {
                [first, second] if series.targets_once => halves[usize::from(second <= first)] += 1,
                _ => halves = [0, 1].map(|number| halves[number] + share(runs, number) as u64),
            }
        }
        let [first, second] = self.slots;
        let mut given = self.given.lock();
        let swapped = halves[0].cmp(&halves[1]) == given[0].cmp(&given[1]) && halves[0] != halves[1];
        let time = self.time(series.tests);
        for (given, half) in given.iter_mut().zip([usize::from(swapped), usize::from(!swapped)]) {
            *given += halves[half] * time;
        }
        if swapped { [second, first] } else { [first, second] }
    }

    /// The observations of each half; with `alone`, each JVM has to end before the other one
    /// starts.
    fn halves(
        &self,
        recipe: RecipeId,
        series: Series<'_>,
        known: &KeyLists,
        runs: usize,
        alone: bool,
    ) -> Result<Vec<Vec<Observed>>> {
        let (coverage, post, at_once) = (self.coverage, self.post(recipe)?, self.at_once);
        let certain = certain(runs, at_once && !series.targets_once);
        let taken = AtomicUsize::new(0);
        let free = AtomicUsize::new(runs - certain.iter().sum::<usize>());
        // One after the other, the first JVM would take all targets. It may do so if the original
        // code runs in no other JVM.
        let all = series.targets.len();
        let most_of_first = if at_once || runs < MACHINES { all } else { all / MACHINES };
        let slots = if at_once { self.assign(&series, runs) } else { self.slots };
        let tasks: Vec<Task<(usize, usize)>> = slots
            .iter()
            .zip(certain)
            .enumerate()
            .map(|(half, (slot, certain))| Task { slot: Some(*slot), work: (half, certain) })
            .collect();
        let crew = Crew { launch: &post.launch, slots: &slots, at_once, priority: series.rank };
        self.pool.run(crew, &tasks, |session, _, (half, certain)| {
            let most = if *half == 0 { most_of_first } else { all };
            let (taken, free) = (&taken, &free);
            let observed = Half { post, coverage, series, known, session: &mut *session, most, taken, free }
                .observe(*half, *certain);
            self.unwoven.lock().extend(session.take_unwoven());
            if alone {
                session.end();
            }
            observed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::series::Target;
    use super::*;

    #[test]
    fn the_half_with_more_runs_goes_to_the_jvm_with_less_work() {
        let coverage = Coverage { nanoseconds: vec![10, 70].into(), ..Coverage::default() };
        let pool = Pool::new(2);
        let observers = Observers::new(IdSlice::new(&[]), &coverage, 10, 2, &pool);
        let series = |tests: &'static [TestId], targets_once: bool| Series {
            rank: 0,
            tests,
            targets: &[Target { transformation: None, method: None }],
            recorded: &[],
            briefly: &[],
            digested: &[],
            samples: 0,
            stacks: false,
            targets_once,
        };
        let is_swapped = |series: Series<'_>, runs: usize| observers.assign(&series, runs) == [1, 0];
        let given = || *observers.given.lock();
        // One run of the original code in each, and in the second half one of the transformed code
        // ahead of it.
        assert_eq!((is_swapped(series(&[TestId(0)], true), 2), given()), (false, [10, 20]));
        assert_eq!((is_swapped(series(&[TestId(1)], true), 2), given()), (true, [150, 90]));
        assert_eq!((is_swapped(series(&[TestId(1)], true), 2), given()), (false, [220, 230]));
        // Five and five of either side: the same in both.
        assert_eq!((is_swapped(series(&[TestId(0)], false), 10), given()), (false, [320, 330]));
        // Three and two of either side.
        assert_eq!((is_swapped(series(&[TestId(0)], false), 5), given()), (false, [380, 370]));
        assert_eq!((is_swapped(series(&[TestId(0)], false), 5), given()), (true, [420, 430]));
    }
}
