//! Runs the covering tests of undetected transformations N times on both sides, from clean starts in two JVMs, and hands over what was
//! recorded, transformation by transformation.

use super::{Observed, Recording};
use crate::cover::Coverage;
use crate::error::{Error, Result};
use crate::jvm::client::{End, Launch, Worker};
use crate::jvm::protocol::{Record, RunRequest, RunTest, Unwoven};
use crate::transform::plan;
use std::collections::{BTreeMap, BTreeSet};

/// DESIGN.md §3: the repetitions are spread over at least two fresh JVMs.
const MACHINES: usize = 2;
/// Time for a test under observation: so many times its time, and this much more (milliseconds).
const SLOWDOWN: u64 = 50;
const SLACK: u64 = 20_000;

/// Transformations that are reached by the same tests: one set of runs on the original code serves all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// In the order of the suite.
    pub tests: Vec<usize>,
    /// Index of a transformation; `None` is the original code once more, for the self-check.
    pub transformations: Vec<Option<usize>>,
}

/// Groups by equal lists of tests; in order.
#[must_use]
pub fn group(undetected: &[(usize, Vec<usize>)]) -> Vec<Group> {
    let mut groups: BTreeMap<&[usize], Vec<Option<usize>>> = BTreeMap::new();
    for (transformation, tests) in undetected {
        groups.entry(tests).or_default().push(Some(*transformation));
    }
    groups.into_iter().map(|(tests, transformations)| Group { tests: tests.to_vec(), transformations }).collect()
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
    /// Of one recipe at a time, so that memory does not grow with their number.
    workers: [Option<Worker>; MACHINES],
    working_for: usize,
    unwoven: BTreeSet<Unwoven>,
}

impl<'a> Observers<'a> {
    /// `posts` has one entry for each recipe; `runs` is the number of repetitions on each side.
    #[must_use]
    pub fn new(posts: &'a [Post], coverage: &'a Coverage, runs: usize) -> Self {
        Self { posts, coverage, runs, workers: [None, None], working_for: 0, unwoven: BTreeSet::new() }
    }

    /// Classes that could not be woven, and why; sorted.
    #[must_use]
    pub fn unwoven(&self) -> &BTreeSet<Unwoven> {
        &self.unwoven
    }

    /// Same tests, same order, both sides, N times; the result has one entry for each transformation of the group.
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
        let mut all = vec![Observed::default(); group.transformations.len()];
        for (recipe, tests) in by_recipe {
            let part = Group { tests, transformations: group.transformations.clone() };
            for (all, part) in all.iter_mut().zip(self.observe_recipe(recipe, &part)?) {
                all.add(part);
            }
        }
        Ok(all)
    }

    /// The same for tests that are all of one recipe.
    fn observe_recipe(&mut self, recipe: usize, group: &Group) -> Result<Vec<Observed>> {
        let (coverage, runs) = (self.coverage, self.runs);
        let post = self.posts.get(recipe).ok_or_else(|| Error::bug(format!("There is no recipe {recipe}.")))?;
        if self.working_for != recipe {
            self.workers = [None, None];
            self.working_for = recipe;
        }
        let machines = self.workers.len();
        let halves = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .workers
                .iter_mut()
                .enumerate()
                .map(|(machine, worker)| {
                    let share = runs / machines + usize::from(machine < runs % machines);
                    scope.spawn(move || Half { post, coverage, group, worker }.observe(machine, share))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| {
                    thread.join().unwrap_or_else(|_| Err(Error::bug("A thread of the observation panicked.")))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        self.unwoven.extend(self.workers.iter_mut().flatten().flat_map(|worker| worker.unwoven.drain(..)));
        let mut all = vec![Observed::default(); group.transformations.len()];
        for half in halves {
            for (all, half) in all.iter_mut().zip(half) {
                all.original.extend(half.original);
                all.transformed.extend(half.transformed);
            }
        }
        Ok(all)
    }
}

/// What one JVM does for a group.
struct Half<'a> {
    post: &'a Post,
    coverage: &'a Coverage,
    group: &'a Group,
    worker: &'a mut Option<Worker>,
}

impl Half<'_> {
    fn observe(&mut self, machine: usize, share: usize) -> Result<Vec<Observed>> {
        let group = self.group;
        let mut observed = vec![Observed::default(); group.transformations.len()];
        for repetition in 0..share {
            // Stacks are the same each time: the first run of each machine records them.
            let record = if repetition == 0 { Record::StateAndStacks } else { Record::State };
            // The second machine starts with the transformed code: what hangs on the order of the two sides shows as noise.
            if machine == 0 {
                let original = self.run(0, record)?;
                observed.iter_mut().for_each(|observed| observed.original.push(original.clone()));
            }
            for (observed, transformation) in observed.iter_mut().zip(&group.transformations) {
                let number = transformation.map_or(0, plan::number);
                observed.transformed.push(self.run(number, record)?);
            }
            if machine != 0 {
                let original = self.run(0, record)?;
                observed.iter_mut().for_each(|observed| observed.original.push(original.clone()));
            }
        }
        Ok(observed)
    }

    /// One run from a clean start. A run that did not come to its end counts every test that it did not finish as failed.
    fn run(&mut self, number: u32, record: Record) -> Result<Recording> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.post.launch)?,
        };
        let ran = worker.run(&RunRequest {
            fresh: true,
            active: number,
            tests: self
                .group
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
            record,
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
            for test in &self.group.tests {
                if let Ok(test) = u32::try_from(*test)
                    && (!finished.contains(&test) || recording.observations.is_empty())
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
        let groups = group(&[(4, vec![1, 2]), (7, vec![3]), (9, vec![1, 2])]);
        assert_eq!(
            groups,
            [
                Group { tests: vec![1, 2], transformations: vec![Some(4), Some(9)] },
                Group { tests: vec![3], transformations: vec![Some(7)] },
            ]
        );
    }
}
