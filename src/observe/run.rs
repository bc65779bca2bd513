//! Runs the covering tests of undetected transformations on both sides, from clean starts in two JVMs, and hands over what was recorded,
//! transformation by transformation.

use super::screen::open_sites;
use super::{Observed, Recording, Site};
use crate::cover::Coverage;
use crate::error::{Error, Result};
use crate::jvm::client::{End, Launch, Worker};
use crate::jvm::protocol::{Record, RunRequest, RunTest, Sites, Unwoven};
use crate::transform::plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// DESIGN.md §3: the repetitions are spread over at least two fresh JVMs.
const MACHINES: usize = 2;
/// Time for a test under observation: so many times its time, and this much more (milliseconds).
const SLOWDOWN: u64 = 50;
const SLACK: u64 = 20_000;

/// Transformations that are reached by the same tests: one set of runs on the original code serves all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// In the order of the suite.
    pub tests: Vec<usize>,
    /// Index of a transformation; `None` is the original code once more, for the self-check.
    pub transformations: Vec<Option<usize>>,
    /// Numbers of the transformed methods: recorded in every run, sorted.
    pub methods: Vec<u32>,
    /// Numbers of other methods that are observed as the tests' expressions are: recorded where they may differ.
    pub other_methods: Vec<u32>,
}

/// An undetected transformation: its index, the number of its method, its covering tests in the order of the suite.
pub type Undetected = (usize, u32, Vec<usize>);

/// Groups by equal lists of tests; in order.
#[must_use]
pub fn group(undetected: &[Undetected]) -> Vec<Group> {
    let mut groups: BTreeMap<&[usize], Group> = BTreeMap::new();
    for (transformation, method, tests) in undetected {
        let group = groups.entry(tests).or_insert_with(|| Group { tests: tests.clone(), ..Group::default() });
        group.transformations.push(Some(*transformation));
        if let Err(place) = group.methods.binary_search(method) {
            group.methods.insert(place, *method);
        }
    }
    groups.into_values().collect()
}

/// How the tests of one recipe are observed.
#[derive(Clone, Debug)]
pub struct Post {
    /// With state probes woven in, and instrumented tests.
    pub launch: Launch,
    /// Number of this recipe's first expression among those of all recipes; its probes count from 0.
    pub first_expression: u32,
}

/// The two JVMs of the observation.
pub struct Observers<'a> {
    /// One for each recipe.
    posts: &'a [Post],
    coverage: &'a Coverage,
    runs: usize,
    /// Whether both JVMs may run tests at the same time.
    at_once: bool,
    /// Of one recipe at a time, so that memory does not grow with their number.
    workers: [Option<Worker>; MACHINES],
    working_for: usize,
    unwoven: BTreeSet<Unwoven>,
    compared: u64,
}

/// The tests of a group that belong to one recipe, and what is to be run of them.
#[derive(Clone, Copy)]
struct Series<'a> {
    recipe: usize,
    tests: &'a [usize],
    /// As in [`Group::transformations`].
    transformations: &'a [Option<usize>],
    /// Expressions numbered over all recipes.
    recorded: &'a [Site],
    digested: &'a [Site],
}

impl<'a> Observers<'a> {
    /// `posts` has one entry for each recipe; `runs` is the number of repetitions on each side, `jobs` that of workers at a time.
    #[must_use]
    pub fn new(posts: &'a [Post], coverage: &'a Coverage, runs: usize, jobs: usize) -> Self {
        Self {
            posts,
            coverage,
            runs,
            at_once: jobs > 1,
            workers: [None, None],
            working_for: 0,
            unwoven: BTreeSet::new(),
            compared: 0,
        }
    }

    /// Classes that could not be woven, and why; sorted.
    #[must_use]
    pub fn unwoven(&self) -> &BTreeSet<Unwoven> {
        &self.unwoven
    }

    /// How many observations of the original code were compared with those of the other side so far.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Same tests, same order, both sides; the result has one entry for each transformation of the group. A first run of each side on each
    /// JVM tells where they can differ at all; where they can, N more are recorded, of those places only.
    ///
    /// # Errors
    /// When a worker cannot be started, or the user interrupts.
    pub fn observe(&mut self, group: &Group) -> Result<Vec<Observed>> {
        let mut by_recipe: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for test in &group.tests {
            if let Some(known) = self.coverage.tests.get(*test) {
                by_recipe.entry(known.recipe).or_default().push(*test);
            }
        }
        let methods: Vec<Site> = group.methods.iter().copied().map(Site::Method).collect();
        let mut first = Vec::new();
        for (recipe, tests) in &by_recipe {
            let digested = self.digested(group, *recipe)?;
            let transformations = &group.transformations;
            let series =
                Series { recipe: *recipe, tests, transformations, recorded: &methods, digested: &digested };
            let observed = self.run(series, MACHINES)?;
            self.compared += observed.iter().map(compared).sum::<u64>();
            first.push(observed);
        }
        // Of a transformation, what every recipe saw of it belongs together: it is repeated in all of them, or in none.
        let mut open = vec![BTreeSet::new(); group.transformations.len()];
        for observed in &first {
            for (open, observed) in open.iter_mut().zip(observed) {
                open.extend(open_sites(observed));
            }
        }
        let transformations: Vec<Option<usize>> = group
            .transformations
            .iter()
            .zip(&open)
            .filter(|(_, open)| !open.is_empty())
            .map(|(transformation, _)| *transformation)
            .collect();
        let recorded: BTreeSet<Site> = methods.into_iter().chain(open.iter().flatten().copied()).collect();
        let recorded: Vec<Site> = recorded.into_iter().collect();
        let mut all = vec![Observed::default(); group.transformations.len()];
        for ((recipe, tests), first) in by_recipe.iter().zip(first) {
            let series = Series {
                recipe: *recipe,
                tests,
                transformations: &transformations,
                recorded: &recorded,
                digested: &[],
            };
            let mut repeated =
                if transformations.is_empty() { Vec::new() } else { self.run(series, self.runs)? }.into_iter();
            for ((all, first), open) in all.iter_mut().zip(first).zip(&open) {
                all.add(match if open.is_empty() { None } else { repeated.next() } {
                    Some(repeated) => repeated.after(&first),
                    None => first,
                });
            }
        }
        Ok(all)
    }

    /// What is digested in the first runs: everything that may see a difference, apart from the transformed methods.
    fn digested(&self, group: &Group, recipe: usize) -> Result<Vec<Site>> {
        let post = self.post(recipe)?;
        let expressions = (0..post.launch.start.expressions).map(|number| Site::Expression(post.first_expression + number));
        Ok(group.other_methods.iter().copied().map(Site::Method).chain(expressions).collect())
    }

    fn post(&self, recipe: usize) -> Result<&'a Post> {
        self.posts.get(recipe).ok_or_else(|| Error::bug(format!("There is no recipe {recipe}.")))
    }

    /// So many runs on each side, half of them in either JVM.
    fn run(&mut self, series: Series<'_>, runs: usize) -> Result<Vec<Observed>> {
        let (coverage, post) = (self.coverage, self.post(series.recipe)?);
        if self.working_for != series.recipe {
            self.workers = [None, None];
            self.working_for = series.recipe;
        }
        let machines = self.workers.len();
        let halves = self.workers.iter_mut().enumerate().map(|(machine, worker)| {
            let share = runs / machines + usize::from(machine < runs % machines);
            move || Half { post, coverage, series, worker }.observe(machine, share)
        });
        let observed = if self.at_once {
            std::thread::scope(|scope| {
                let threads: Vec<_> = halves.map(|half| scope.spawn(half)).collect();
                let panicked = |_| Err(Error::bug("A thread of the observation panicked."));
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Result<Vec<_>>>()
            })
        } else {
            halves.map(|mut half| half()).collect()
        }?;
        self.unwoven.extend(self.workers.iter_mut().flatten().flat_map(|worker| worker.unwoven.drain(..)));
        let mut all = vec![Observed::default(); series.transformations.len()];
        for half in observed {
            for (all, half) in all.iter_mut().zip(half) {
                all.original.extend(half.original);
                all.transformed.extend(half.transformed);
            }
        }
        Ok(all)
    }
}

/// Observations in the first run of the original.
fn compared(observed: &Observed) -> u64 {
    let count = |run: &Arc<Recording>| {
        let recorded = u64::try_from(run.observations.len()).unwrap_or(u64::MAX);
        run.digests.iter().map(|digest| u64::from(digest.count)).sum::<u64>() + recorded
    };
    observed.original.first().map_or(0, count)
}

/// What one JVM does for a series.
struct Half<'a> {
    post: &'a Post,
    coverage: &'a Coverage,
    series: Series<'a>,
    worker: &'a mut Option<Worker>,
}

impl Half<'_> {
    fn observe(&mut self, machine: usize, share: usize) -> Result<Vec<Observed>> {
        let mut observed = vec![Observed::default(); self.series.transformations.len()];
        for repetition in 0..share {
            // Stacks are the same each time: the first run of each machine records them.
            let record = Record::State(self.sites(repetition == 0));
            // The second machine starts with the transformed code: what hangs on the order of the two sides shows as noise.
            if machine == 0 {
                let original = Arc::new(self.run(0, &record)?);
                observed.iter_mut().for_each(|observed| observed.original.push(Arc::clone(&original)));
            }
            for (observed, transformation) in observed.iter_mut().zip(self.series.transformations) {
                let number = transformation.map_or(0, plan::number);
                observed.transformed.push(Arc::new(self.run(number, &record)?));
            }
            if machine != 0 {
                let original = Arc::new(self.run(0, &record)?);
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
                Site::Method(number) => Some(Site::Method(*number)),
                Site::Expression(number) => {
                    number.checked_sub(first).filter(|number| *number < expressions).map(Site::Expression)
                }
            });
            own.collect()
        };
        Sites { recorded: own(self.series.recorded), digested: own(self.series.digested), stacks }
    }

    /// One run from a clean start. A run that did not come to its end counts every test that it did not finish as failed.
    fn run(&mut self, number: u32, record: &Record) -> Result<Recording> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.post.launch)?,
        };
        let ran = worker.run(&RunRequest {
            fresh: true,
            active: number,
            tests: self
                .series
                .tests
                .iter()
                .filter_map(|test| {
                    Some(RunTest {
                        number: u32::try_from(*test).ok()?,
                        id: self.coverage.tests.get(*test)?.id.clone(),
                        limit: self.coverage.milliseconds(*test) * SLOWDOWN + SLACK,
                    })
                })
                .collect(),
            stop_at_first_failure: false,
            record: record.clone(),
            next_number: u32::try_from(self.coverage.tests.len()).unwrap_or(u32::MAX),
            other_limit: SLACK,
        })?;
        let mut recording = ran.recording.unwrap_or_default();
        recording.renumber_expressions(self.post.first_expression);
        if ran.end == End::Complete {
            *self.worker = Some(worker);
        } else {
            let reason = match ran.end {
                End::Late(_) | End::Hung(_) => "it did not end while it was observed".to_owned(),
                End::Died(_) => "the JVM ended while it was observed".to_owned(),
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
mod tests {
    use super::*;

    #[test]
    fn transformations_with_the_same_tests_share_the_runs_of_the_original() {
        let groups = group(&[(4, 20, vec![1, 2]), (7, 30, vec![3]), (9, 20, vec![1, 2]), (10, 10, vec![1, 2])]);
        let of = |tests: &[usize], transformations: &[usize], methods: &[u32]| Group {
            tests: tests.to_vec(),
            transformations: transformations.iter().copied().map(Some).collect(),
            methods: methods.to_vec(),
            other_methods: Vec::new(),
        };
        assert_eq!(groups, [of(&[1, 2], &[4, 9, 10], &[10, 20]), of(&[3], &[7], &[30])]);
    }
}
