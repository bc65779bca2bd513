//! From a series of runs that is asked for to its recordings: tests on both sides, from clean starts in two JVMs.

use super::ranked::Ranked;
use super::{Observed, Recording, Site};
use crate::base::error::{Error, Result};
use crate::base::id::{ExpressionId, GuardId, IdSlice, MethodId, RecipeId, TransformationId};
use crate::cover::Coverage;
use crate::jvm::client::Launch;
use crate::jvm::protocol::{Limit, Record, RunTest, Sites, Unwoven};
use crate::observation::KeyLists;
use crate::run::{End, Job, Session, Start};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The repetitions are spread over at least two JVMs (decision 0005).
pub(super) const MACHINES: usize = 2;
/// Of many runs, each JVM makes one in so many in any case: what is the same in one JVM only shows as noise.
const LEAST: usize = 3;
/// So many groups share two JVMs that run tests at the same time: with fewer, all of them wait now and then for the one JVM that makes a long run.
const SHARING: usize = 9;
/// Time for a test under observation: so many times its time, and this much more (milliseconds).
const SLOWDOWN: u64 = 50;
const SLACK: u64 = 20_000;

/// How the tests of one recipe are observed.
#[derive(Clone, Debug)]
pub struct Post {
    /// With state probes woven in, and instrumented tests.
    pub launch: Launch,
    /// Number of this recipe's first expression among those of all recipes; its probes count from 0.
    pub first_expression: ExpressionId,
}

/// One transformation and its method; without any, the original code once more, for the self-check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub transformation: Option<TransformationId>,
    pub method: Option<MethodId>,
}

/// Who has tests run in the two JVMs of an observation.
pub struct Observers<'a> {
    /// One for each recipe.
    posts: &'a IdSlice<RecipeId, Post>,
    coverage: &'a Coverage,
    runs: usize,
    /// Whether both JVMs may run tests at the same time.
    at_once: bool,
    /// How many have tests run in these JVMs, and in others, at a time.
    lanes: usize,
    /// Whether each JVM has to end before the other starts; not set where nothing tells so far.
    alone: OnceLock<bool>,
    machines: Arc<[Ranked<Machine>; MACHINES]>,
    /// Of either JVM, in nanoseconds, what it has been given to do so far.
    given: Arc<Mutex<[u64; MACHINES]>>,
}

/// One JVM, of one recipe at a time, so that memory does not grow with their number.
#[derive(Default)]
struct Machine {
    session: Option<Session>,
    working_for: RecipeId,
    unwoven: BTreeSet<Unwoven>,
}

/// What is to be run on both sides.
#[derive(Clone, Copy)]
pub(super) struct Series<'a> {
    /// Of the group that it is of.
    pub(super) rank: usize,
    /// In the order of the suite.
    pub(super) tests: &'a [usize],
    pub(super) targets: &'a [Target],
    /// Expressions numbered over all recipes.
    pub(super) recorded: &'a [Site],
    /// Of these only the first observations in each test are recorded.
    pub(super) briefly: &'a [Site],
    pub(super) digested: &'a [Site],
    /// So much of each run is recorded beside its digests; see [`Sites::samples`].
    pub(super) samples: u32,
    /// Whether the first run of each JVM records where methods are called from; it is the same each time.
    pub(super) stacks: bool,
    /// Each target runs in one of the JVMs only, whichever is free; the original code as often as asked for.
    pub(super) targets_once: bool,
}

impl<'a> Observers<'a> {
    /// `posts` has one entry for each recipe; `runs` is the number of repetitions on each side, `jobs` that of workers at a time.
    #[must_use]
    pub fn new(posts: &'a IdSlice<RecipeId, Post>, coverage: &'a Coverage, runs: usize, jobs: usize) -> Self {
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
            machines: Arc::default(),
            given: Arc::default(),
        }
    }

    /// As many as can have tests run at a time without waiting much for each other, with no more JVMs than `jobs` (one job has two, in turn). [`SHARING`] share two
    /// JVMs: what one of them leaves idle, because original and transformed code wait for each other, or because it compares what was recorded, the
    /// others use. Where JVMs would have to change between recipes, nobody shares. `left` has run other tests of the only recipe: it becomes the first JVM, the
    /// others are new ones.
    #[must_use]
    pub fn lanes(
        posts: &'a IdSlice<RecipeId, Post>,
        coverage: &'a Coverage,
        runs: usize,
        jobs: usize,
        left: Option<Session>,
    ) -> Vec<Self> {
        let sharing = if jobs > 1 && posts.len() == 1 { SHARING } else { 1 };
        let pairs = (jobs / MACHINES).max(1);
        let lanes = pairs * sharing;
        let pair = |_| Self { lanes, ..Self::new(posts, coverage, runs, jobs) };
        let share = |pair: Self| {
            let other = move |_| Self {
                machines: Arc::clone(&pair.machines),
                given: Arc::clone(&pair.given),
                alone: pair.alone.clone(),
                ..pair
            };
            (0..sharing).map(other)
        };
        let lanes: Vec<Self> = (0..pairs).map(pair).flat_map(share).collect();
        if let (Some(lane), Some(mut left), [post]) = (lanes.first(), left, &posts.raw) {
            left.switch_to(&Arc::new(post.launch.clone()));
            lane.machines[0].take(0).session = Some(left);
        }
        lanes
    }

    /// Classes that could not be woven so far, and why.
    #[must_use]
    pub fn unwoven(&self) -> BTreeSet<Unwoven> {
        self.machines.iter().flat_map(|machine| machine.take(0).unwoven.clone()).collect()
    }

    /// JVMs that can go on with other tests, where there is only one recipe.
    #[must_use]
    pub fn into_workers(lanes: Vec<Self>) -> Vec<Session> {
        let machines = lanes.iter().filter(|lane| lane.posts.len() == 1).flat_map(|lane| lane.machines.iter());
        machines.filter_map(|machine| machine.take(0).session.take()).filter(Session::is_alive).collect()
    }

    /// How many share the memory that the recordings of first runs may take.
    pub(super) fn sharing(&self) -> u32 {
        u32::try_from(self.lanes).unwrap_or(u32::MAX)
    }

    /// How often each side is to be repeated.
    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// What a run of the tests takes on the original code from a clean start, in nanoseconds.
    pub(super) fn time(&self, tests: &[usize]) -> u64 {
        let start_up = if tests.is_empty() { 0 } else { self.coverage.start_up_nanoseconds };
        start_up + tests.iter().filter_map(|test| self.coverage.nanoseconds.get(*test)).sum::<u64>()
    }

    /// Whether the test takes far longer than what is like it.
    pub(super) fn is_slow(&self, test: usize) -> bool {
        self.coverage.is_slow(test)
    }

    /// All probes of the tests' sources.
    pub(super) fn expressions(&self) -> impl Iterator<Item = Site> {
        self.posts.iter().flat_map(|post| {
            let first = post.first_expression.0;
            (first..first + post.launch.start.expressions).map(|number| Site::Expression(ExpressionId(number)))
        })
    }

    /// So many runs on each side, half of them in either JVM; the result has one entry for each target.
    ///
    /// # Errors
    /// When a worker cannot be started, or the user interrupts.
    pub(super) fn run(&self, series: Series<'_>, runs: usize) -> Result<Vec<Observed>> {
        let mut by_recipe: BTreeMap<RecipeId, Vec<usize>> = BTreeMap::new();
        for test in series.tests {
            if let Some(known) = self.coverage.tests.get(*test) {
                by_recipe.entry(known.recipe).or_default().push(*test);
            }
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

    /// The same for tests that are all of one recipe.
    fn run_recipe(&self, recipe: RecipeId, series: Series<'_>, known: &KeyLists, runs: usize) -> Result<Vec<Observed>> {
        let is_alone = self.alone.get().copied();
        let mut observed = self.halves(recipe, series, known, runs, is_alone.unwrap_or(false))?;
        let fails = |observed: &[Vec<Observed>]| {
            let mut original = observed.iter().flatten().flat_map(|half| &half.original);
            original.any(|run| !run.failed.is_empty())
        };
        if is_alone.is_none() && fails(&observed) {
            // These tests pass where nothing else runs: the JVM that is waiting may have what they need.
            self.machines.iter().for_each(|machine| machine.take(0).session = None);
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

    /// Which JVM takes the first half of a series, and which the second: the half with more runs is for the one that has been given less so far. Which one
    /// that is says nothing of what is observed.
    fn shared_out(&self, series: &Series<'_>, runs: usize) -> [&Ranked<Machine>; MACHINES] {
        let mut halves = [0, 1].map(|number| share(runs, number) as u64);
        for _ in series.targets {
            match halves {
                [first, second] if series.targets_once => halves[usize::from(second <= first)] += 1,
                _ => halves = [0, 1].map(|number| halves[number] + share(runs, number) as u64),
            }
        }
        let [first, second] = self.machines.each_ref();
        let mut given = self.given.lock();
        let swapped = halves[0].cmp(&halves[1]) == given[0].cmp(&given[1]) && halves[0] != halves[1];
        let time = self.time(series.tests);
        for (given, half) in given.iter_mut().zip([usize::from(swapped), usize::from(!swapped)]) {
            *given += halves[half] * time;
        }
        if swapped { [second, first] } else { [first, second] }
    }

    /// What either JVM has observed; `alone` where each has to end before the other one starts.
    fn halves(
        &self,
        recipe: RecipeId,
        series: Series<'_>,
        known: &KeyLists,
        runs: usize,
        alone: bool,
    ) -> Result<Vec<Vec<Observed>>> {
        let (coverage, post) = (self.coverage, self.post(recipe)?);
        let (at_once, taken) = (self.at_once, &AtomicUsize::new(0));
        let certain = certain(runs, at_once && !series.targets_once);
        let free = &AtomicUsize::new(runs - certain.iter().sum::<usize>());
        // One after the other, the first JVM would take all; where the original code runs in no other, it may.
        let all = series.targets.len();
        let most_of_first = if at_once || runs < MACHINES { all } else { all / MACHINES };
        let machines = if at_once { self.shared_out(&series, runs) } else { self.machines.each_ref() };
        let halves = machines.into_iter().enumerate().map(|(number, machine)| {
            let certain = certain[number];
            move || {
                let mut machine = machine.take(series.rank);
                let machine = &mut *machine;
                if machine.working_for != recipe {
                    machine.session = None;
                    machine.working_for = recipe;
                }
                let session = machine.session.get_or_insert_with(|| Session::new(Arc::new(post.launch.clone())));
                let most = if number == 0 { most_of_first } else { all };
                let observed =
                    Half { post, coverage, series, known, session, most, taken, free }.observe(number, certain);
                let unwoven = session.take_unwoven();
                machine.unwoven.extend(unwoven);
                if alone {
                    machine.session = None;
                }
                observed
            }
        });
        if self.at_once {
            std::thread::scope(|scope| {
                let threads: Vec<_> = halves.map(|half| scope.spawn(half)).collect();
                let panicked = |_| Err(Error::bug("A thread of the observation panicked."));
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Result<Vec<_>>>()
            })
        } else {
            halves.map(|half| half()).collect()
        }
    }
}

/// How many of the runs on each side the half with this number has.
fn share(runs: usize, number: usize) -> usize {
    runs / MACHINES + usize::from(number < runs % MACHINES)
}

/// How many of these each half has in any case; with `at_once`, the JVM that is free makes the others.
fn certain(runs: usize, at_once: bool) -> [usize; MACHINES] {
    let least = if at_once { runs / LEAST } else { 0 };
    if least == 0 { [0, 1].map(|number| share(runs, number)) } else { [least; MACHINES] }
}

/// What one JVM does for a series.
struct Half<'a> {
    post: &'a Post,
    coverage: &'a Coverage,
    series: Series<'a>,
    /// Keys of the series' other runs.
    known: &'a KeyLists,
    session: &'a mut Session,
    /// Where each target runs in one of the JVMs, this one takes none behind the first so many.
    most: usize,
    /// So many of them have been taken.
    taken: &'a AtomicUsize,
    /// So many more runs on each side are to be made, by either JVM.
    free: &'a AtomicUsize,
}

impl Half<'_> {
    /// The place of the next target that this JVM runs, where each runs in one of them only: of those that the other one has not taken by then.
    fn next_target(&self) -> Option<usize> {
        let next = |taken| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Whether there was one more run to be made, by either JVM.
    fn takes_free(&self) -> bool {
        self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1)).is_ok()
    }

    /// `certain` runs on each side, and as many of the free ones as the other JVM has not made by then.
    fn observe(&mut self, half: usize, certain: usize) -> Result<Vec<Observed>> {
        let mut observed = vec![Observed::default(); self.series.targets.len()];
        let targets_once = self.series.targets_once;
        for repetition in 0.. {
            let with_original = repetition < certain || self.takes_free();
            // A JVM without a run of the original code may have some of the targets.
            if !(with_original || targets_once && repetition == 0) {
                break;
            }
            let record = Record::State(self.sites(self.series.stacks && repetition == 0));
            // The second half starts with the transformed code: what hangs on the order of the two sides shows as noise.
            if half == 0 && with_original {
                let original = Arc::new(self.run(None, &record)?);
                observed.iter_mut().for_each(|observed| observed.original.push(Arc::clone(&original)));
            }
            let mut all = 0..self.series.targets.len();
            while let Some(place) = if targets_once { self.next_target() } else { all.next() }
                && let (Some(observed), Some(target)) = (observed.get_mut(place), self.series.targets.get(place))
            {
                let guard = target.transformation.map(GuardId::of);
                observed.transformed.push(Arc::new(self.run(guard, &record)?));
            }
            if half != 0 && with_original {
                let original = Arc::new(self.run(None, &record)?);
                observed.iter_mut().for_each(|observed| observed.original.push(Arc::clone(&original)));
            }
        }
        Ok(observed)
    }

    /// In the numbers of this recipe's probes.
    fn sites(&self, stacks: bool) -> Sites {
        let first = self.post.first_expression;
        let expressions = self.post.launch.start.expressions;
        let own = |sites: &[Site]| {
            let own = sites.iter().filter_map(|site| match site {
                Site::Method(method) => Some(Site::Method(*method)),
                Site::Expression(expression) => {
                    let own = expression.0.checked_sub(first.0).filter(|own| *own < expressions);
                    own.map(|own| Site::Expression(ExpressionId(own)))
                }
            });
            own.collect()
        };
        Sites {
            recorded: own(self.series.recorded),
            briefly: own(self.series.briefly),
            digested: own(self.series.digested),
            samples: self.series.samples,
            stacks,
        }
    }

    /// One run from a clean start. A run that did not come to its end counts every test that it did not finish as failed.
    fn run(&mut self, guard: Option<GuardId>, record: &Record) -> Result<Recording> {
        let ran = self.session.run(&Job {
            tests: self
                .series
                .tests
                .iter()
                .filter_map(|test| {
                    Some(RunTest {
                        number: u32::try_from(*test).ok()?,
                        id: self.coverage.tests.get(*test)?.id.clone(),
                        limit: Limit::of_time(self.coverage.milliseconds(*test) * SLOWDOWN + SLACK),
                    })
                })
                .collect(),
            transformation: guard,
            record: record.clone(),
            start: Start::Clean,
            stop_at_first_failure: false,
            next_number: u32::try_from(self.coverage.tests.len()).unwrap_or(u32::MAX),
            other_limit: Limit::of_time(SLACK),
        })?;
        let mut recording = ran.recording.unwrap_or_default();
        recording.renumber_expressions(self.post.first_expression);
        recording.share_keys(self.known);
        if ran.end != End::Complete {
            self.session.end();
            let reason = match ran.end {
                End::Late(_) | End::Hung(_) => "it did not end while it was observed".to_owned(),
                End::Died { .. } => "the JVM ended while it was observed".to_owned(),
                End::Broken(reason) => reason,
                End::Complete => String::new(),
            };
            let finished: Vec<u32> = ran.finished.iter().map(|finished| finished.number).collect();
            let nothing_told = recording.observations.is_empty() && recording.digests.is_empty();
            for test in self.series.tests {
                if let Ok(test) = u32::try_from(*test)
                    && (!finished.contains(&test) || nothing_told)
                {
                    recording.failed.push((test, reason.clone()));
                }
            }
        }
        recording.failed.sort();
        recording.failed.dedup();
        Ok(recording)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn either_jvm_makes_a_third_of_the_runs_and_where_both_run_at_once_whichever_is_free_the_others() {
        let all = |at_once: bool| [0, 1, 2, 3, 8, 10].map(|runs| certain(runs, at_once));
        assert_eq!(all(false), [[0, 0], [1, 0], [1, 1], [2, 1], [4, 4], [5, 5]]);
        assert_eq!(all(true), [[0, 0], [1, 0], [1, 1], [1, 1], [2, 2], [3, 3]]);
    }

    #[test]
    fn the_half_with_more_runs_is_for_the_jvm_that_has_been_given_less() {
        let coverage = Coverage { nanoseconds: vec![10, 70], ..Coverage::default() };
        let observers = Observers::new(IdSlice::new(&[]), &coverage, 10, 2);
        let series = |tests: &'static [usize], targets_once: bool| Series {
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
        let is_swapped = |series: Series<'_>, runs: usize| {
            let [first, _] = observers.shared_out(&series, runs);
            !std::ptr::eq(first, &raw const observers.machines[0])
        };
        let given = || *observers.given.lock();
        // One run of the original code in each, and in the second half one of the transformed code ahead of it.
        assert_eq!((is_swapped(series(&[0], true), 2), given()), (false, [10, 20]));
        assert_eq!((is_swapped(series(&[1], true), 2), given()), (true, [150, 90]));
        assert_eq!((is_swapped(series(&[1], true), 2), given()), (false, [220, 230]));
        // Five and five of either side: the same in both.
        assert_eq!((is_swapped(series(&[0], false), 10), given()), (false, [320, 330]));
        // Three and two of either side.
        assert_eq!((is_swapped(series(&[0], false), 5), given()), (false, [380, 370]));
        assert_eq!((is_swapped(series(&[0], false), 5), given()), (true, [420, 430]));
    }
}
