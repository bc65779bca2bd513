//! One JVM's part in a series of runs: the original code and each target, from clean starts.

use super::series::{MACHINES, Post, Series};
use super::{Observed, Recording, Site};
use crate::base::error::Result;
use crate::base::id::{ExpressionId, GuardId, TestId};
use crate::cover::Coverage;
use crate::jvm::protocol::{Limit, Record, RunTest, Sites, World};
use crate::observation::KeyLists;
use crate::run::{End, Job, Session, Start};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each JVM makes at least one run out of this many, so that a value that is constant only within
/// one JVM shows as noise.
const LEAST: usize = 3;
/// A test under observation may take this factor of its time, and this addition in milliseconds.
const SLOWDOWN: u64 = 50;
const SLACK: u64 = 20_000;

/// Number of the runs on each side that belong to this half.
pub(super) fn share(runs: usize, number: usize) -> usize {
    runs / MACHINES + usize::from(number < runs % MACHINES)
}

/// Number of these runs that each half makes in any case. With `at_once`, whichever JVM is free
/// makes the other runs.
pub(super) fn certain(runs: usize, at_once: bool) -> [usize; MACHINES] {
    let least = if at_once { runs / LEAST } else { 0 };
    if least == 0 { [0, 1].map(|number| share(runs, number)) } else { [least; MACHINES] }
}

/// One JVM's part in a series.
pub(super) struct Half<'a> {
    pub(super) post: &'a Post,
    pub(super) coverage: &'a Coverage,
    pub(super) series: Series<'a>,
    /// Keys of the other runs of the series.
    pub(super) known: &'a KeyLists,
    pub(super) session: &'a mut Session,
    /// If each target runs in only one of the JVMs, this JVM takes a target only if fewer than this
    /// number were taken.
    pub(super) most: usize,
    /// Number of targets that were taken.
    pub(super) taken: &'a AtomicUsize,
    /// Number of further runs on each side, which either JVM may make.
    pub(super) free: &'a AtomicUsize,
}

impl Half<'_> {
    /// Takes the next target for this JVM, if each target runs in only one of the JVMs.
    fn next_target(&self) -> Option<usize> {
        let next = |taken| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Takes one of the runs that either JVM may make; returns its number, if there was one.
    fn take_free(&self) -> Option<usize> {
        self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1)).ok()
    }

    /// Makes `certain` runs on each side, and those of the free runs that the other JVM does not
    /// make.
    pub(super) fn observe(&mut self, half: usize, certain: usize) -> Result<Vec<Observed>> {
        let mut observed = vec![Observed::default(); self.series.targets.len()];
        let targets_once = self.series.targets_once;
        for repetition in 0.. {
            // Each run on a side has seeds of its own, whichever JVM makes it.
            let is_certain = repetition < certain;
            let free = if is_certain { None } else { self.take_free() };
            let with_original = is_certain || free.is_some();
            let world = free.map_or(repetition * MACHINES + half, |free| certain * MACHINES + free);
            // A JVM without a run of the original code may take some of the targets.
            if !(with_original || targets_once && repetition == 0) {
                break;
            }
            let record = Record::State(self.sites(self.series.stacks && repetition == 0));
            // The second half starts with the transformed code, so that what depends on the order
            // of the two sides shows as noise.
            if half == 0 && with_original {
                let original = Arc::new(self.run(None, &record, world)?);
                observed.iter_mut().for_each(|observed| observed.original.push(Arc::clone(&original)));
            }
            let mut all = 0..self.series.targets.len();
            while let Some(place) = if targets_once { self.next_target() } else { all.next() }
                && let (Some(observed), Some(target)) = (observed.get_mut(place), self.series.targets.get(place))
            {
                let guard = target.transformation.map(GuardId::of);
                // A target that runs once draws what the first run of the original code draws: what
                // only chance changes is the same then, and need not be repeated.
                let world = if targets_once { 0 } else { world };
                observed.transformed.push(Arc::new(self.run(guard, &record, world)?));
            }
            if half != 0 && with_original {
                let original = Arc::new(self.run(None, &record, world)?);
                observed.iter_mut().for_each(|observed| observed.original.push(Arc::clone(&original)));
            }
        }
        Ok(observed)
    }

    /// The sites of the series, with the numbers of this recipe's probes.
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

    /// Makes one run from a clean start. If a test ends it early, every test that did not finish
    /// counts as failed.
    fn run(&mut self, guard: Option<GuardId>, record: &Record, world: usize) -> Result<Recording> {
        let ran = self.session.run(&Job {
            tests: self
                .series
                .tests
                .iter()
                .map(|test| RunTest {
                    number: *test,
                    id: self.coverage.tests[*test].id.clone(),
                    limit: Limit::of_time(self.coverage.milliseconds(*test) * SLOWDOWN + SLACK),
                })
                .collect(),
            transformation: guard,
            record: record.clone(),
            start: Start::Clean,
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: self.coverage.tests.next_idx(),
            other_limit: Limit::of_time(SLACK),
            world: World { seeds: u32::try_from(world).ok(), ..World::default() },
        })?;
        let mut recording = ran.reported.recording.unwrap_or_default();
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
            let finished: Vec<TestId> = ran.reported.finished.iter().map(|finished| finished.number).collect();
            let is_empty = recording.observations.is_empty() && recording.digests.is_empty();
            for test in self.series.tests {
                if is_empty || !finished.contains(test) {
                    recording.failed.push((*test, reason.clone()));
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
    fn each_jvm_makes_a_third_of_the_runs_and_the_free_jvm_the_rest() {
        let all = |at_once: bool| [0, 1, 2, 3, 8, 10].map(|runs| certain(runs, at_once));
        assert_eq!(all(false), [[0, 0], [1, 0], [1, 1], [2, 1], [4, 4], [5, 5]]);
        assert_eq!(all(true), [[0, 0], [1, 0], [1, 1], [1, 1], [2, 2], [3, 3]]);
    }
}
