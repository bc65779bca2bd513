//! Finds a verdict for each transformation from the tests that cover it.
//!
//! Invariant: a verdict depends only on the tests, never on time, on the load of the machine, or on
//! the order in which JVMs finish. The one exception is whether all tests run once more
//! ([`whole_suite`]).

mod judge;
mod left_files;
mod patience;
mod ranking;
mod runner;
mod seeds;
mod stage;
mod verdict;
mod way;
mod whole_classes;
mod whole_suite;

use crate::base::error::{Error, Result};
use crate::base::id::{GuardId, IdSlice, IdVec, MethodId, RecipeId, TestId, TransformationId, TransformationKey};
use crate::base::interrupt;
use crate::cover::Coverage;
use crate::jvm::client::Launch;
use crate::recipe::Recipe;
use crate::run::{Crew, Pool, Task};
use crate::transform::Transformations;
use judge::{Judge, Work};
use left_files::{confirm_in_copy, may_need_copy};
use parking_lot::Mutex;
pub use ranking::Ranking;
use stage::Stage;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use verdict::{Basis, Judged, Kill, Verdict};
pub use whole_classes::WholeClasses;
use whole_suite::confirm_with_all_tests;

/// Receives each transformation once there is a verdict on it, and the time that took.
pub type Progress<'a> = dyn Fn(TransformationId, Duration) + Sync + 'a;

/// The results of an earlier analysis, which are likely again. They change no verdict. They only
/// affect how soon there is one, and which of several tests that notice is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The test that did not end.
    pub late: HashMap<TransformationKey, TestId>,
    /// The test that noticed: it runs first, and alone if it notices again.
    pub noticed: HashMap<TransformationKey, TestId>,
    pub undetected: HashSet<TransformationKey>,
}

/// The input of the stage.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// One for each recipe, with all transformations woven in.
    pub launches: &'a IdSlice<RecipeId, Arc<Launch>>,
    pub recipes: &'a IdSlice<RecipeId, Recipe>,
    pub transformations: &'a Transformations,
    /// The guard by which the launches know each transformation, if they do.
    pub guards: &'a IdSlice<TransformationId, Option<GuardId>>,
    pub coverage: &'a Coverage,
    pub expected: &'a Expected,
    /// JVMs that may run tests at the same time.
    pub jobs: usize,
    pub progress: &'a Progress<'a>,
}

/// Finds a verdict for each transformation. The tests of each recipe in turn judge the
/// transformations that the recipes before did not detect. `None` only if the user interrupts
/// before there is a verdict that no further run can change.
///
/// # Errors
/// If a JVM cannot be started.
pub fn detect(input: &Input<'_>, pool: &Pool) -> Result<IdVec<TransformationId, Option<Judged>>> {
    let Input { launches, transformations, guards, coverage, expected, jobs, progress, .. } = *input;
    let guards: Option<IdVec<TransformationId, GuardId>> = guards.iter().copied().collect();
    let Some(guards) = guards.filter(|guards| guards.len() == transformations.transformations.len()) else {
        return Err(Error::bug("Not all transformations that are to be judged are woven in."));
    };
    let mut verdicts: IdVec<TransformationId, Judged> = IdVec::with_capacity(guards.len());
    let mut remaining: Remaining = IdVec::with_capacity(guards.len());
    let mut open: BTreeSet<TransformationId> = BTreeSet::new();
    for (id, transformation) in transformations.transformations.iter_enumerated() {
        let by_recipe = by_recipe(coverage, candidates(coverage, transformation.method));
        let is_quarantined = !coverage.quarantined_covering[transformation.method].is_empty();
        verdicts.push(Judged::without_tests(match transformations.unweavable.get(&transformation.method) {
            Some(reason) => Verdict::FailedToRun(reason.clone()),
            None if is_quarantined => Verdict::Quarantined,
            None => Verdict::NotCovered,
        }));
        if by_recipe.is_empty() {
            progress(id, Duration::ZERO);
        }
        remaining.push(by_recipe);
    }
    for (recipe, launch) in launches.iter_enumerated() {
        let work = work_of(recipe, &mut remaining, &guards, coverage);
        // The JVMs of one recipe do not stay while those of another recipe run.
        pool.keep(if launches.len() == 1 { jobs.clamp(1, work.len().max(1)) } else { 0 });
        let stage = Stage::new(transformations, coverage, expected);
        let slots: Vec<usize> = (0..jobs.clamp(1, work.len().max(1))).collect();
        let mut judged = BTreeMap::new();
        let work: Vec<&Work> = work.iter().collect();
        let mut outcome = judge_all(&stage, launch, &slots, &work, progress, pool, &mut judged);
        if outcome.is_ok() {
            outcome = confirm_in_copy(input, recipe, &work, &mut judged, pool);
        }
        if outcome.is_ok() {
            outcome = confirm_with_all_tests(input, recipe, &work, &mut judged, pool);
        }
        if let Err(error) = outcome {
            if !interrupt::is_interrupted() {
                return Err(error);
            }
            open = without_final_verdict(input, &work, &remaining, &mut judged);
        }
        for (id, judged) in judged {
            if judged.verdict.kill().is_some() {
                let remaining = &mut remaining[id];
                if !remaining.is_empty() {
                    progress(id, Duration::ZERO);
                }
                remaining.clear();
            }
            let known = &mut verdicts[id];
            *known = std::mem::replace(known, Judged::without_tests(Verdict::NotCovered)).and(judged);
        }
        if !open.is_empty() {
            break;
        }
    }
    let with_id = verdicts.into_iter_enumerated();
    Ok(with_id.map(|(id, judged)| (!open.contains(&id)).then_some(judged)).collect())
}

/// The transformations without a final verdict when the user interrupts: those of this recipe that are not judged,
/// or would be judged again in a clean copy, and those that tests of later recipes can see. Leaves only final verdicts
/// in `judged`.
fn without_final_verdict(
    input: &Input<'_>,
    work: &[&Work],
    remaining: &Remaining,
    judged: &mut BTreeMap<TransformationId, Judged>,
) -> BTreeSet<TransformationId> {
    let mut open: BTreeSet<TransformationId> =
        remaining.iter_enumerated().filter(|(_, tests)| !tests.is_empty()).map(|(id, _)| id).collect();
    for work in work {
        let is_final = match judged.get(&work.transformation) {
            Some(judged) if judged.verdict.kill().is_some() => true,
            Some(judged) => work.is_last && !may_need_copy(input, work, judged),
            None => false,
        };
        if is_final {
            open.remove(&work.transformation);
        } else {
            open.insert(work.transformation);
            judged.remove(&work.transformation);
        }
    }
    open
}

/// For each transformation, by recipe: the tests that can see it and have not run yet.
type Remaining = IdVec<TransformationId, BTreeMap<RecipeId, Vec<TestId>>>;

fn by_recipe(coverage: &Coverage, tests: Vec<TestId>) -> BTreeMap<RecipeId, Vec<TestId>> {
    let mut by_recipe: BTreeMap<RecipeId, Vec<TestId>> = BTreeMap::new();
    for test in tests {
        by_recipe.entry(coverage.tests[test].recipe).or_default().push(test);
    }
    by_recipe
}

/// The work of the tests of a recipe, the most expensive first, so that no JVM is left with it at
/// the end.
fn work_of(
    recipe: RecipeId,
    remaining: &mut Remaining,
    guards: &IdSlice<TransformationId, GuardId>,
    coverage: &Coverage,
) -> Vec<Work> {
    let mut work: Vec<Work> = Vec::new();
    for ((transformation, remaining), guard) in remaining.iter_mut_enumerated().zip(guards) {
        if let Some(tests) = remaining.remove(&recipe) {
            work.push(Work { transformation, guard: *guard, tests, is_last: remaining.is_empty() });
        }
    }
    let cost = |work: &Work| work.tests.iter().map(|test| coverage.milliseconds(*test)).sum::<u64>();
    work.sort_by_cached_key(|work| Reverse(cost(work)));
    work
}

/// Adds the verdicts of the tests of one recipe to `judged`. After an error, they are those that were found before it.
fn judge_all(
    stage: &Stage<'_>,
    launch: &Arc<Launch>,
    slots: &[usize],
    work: &[&Work],
    progress: &Progress<'_>,
    pool: &Pool,
    judged: &mut BTreeMap<TransformationId, Judged>,
) -> Result<()> {
    let found = Mutex::new(judged);
    let tasks: Vec<Task<&Work>> = work.iter().map(|work| Task { slot: None, work: *work }).collect();
    let crew = Crew { launch, slots, at_once: true, priority: 0 };
    pool.run(crew, &tasks, |session, _, work| {
        let since = Instant::now();
        let mut judged = Judge::new(stage, session).judge(work)?;
        if let Some(reason) = stage.unwoven(work.transformation) {
            judged.verdict = Verdict::FailedToRun(reason);
        }
        // An interrupt kills the JVMs, and that must not become a verdict.
        interrupt::check()?;
        if work.is_last {
            progress(work.transformation, since.elapsed());
        }
        found.lock().insert(work.transformation, judged);
        Ok(())
    })?;
    Ok(())
}

/// Tests that can see a transformation of the method, in the order of the suite. From a clean
/// start, every test that uses what a method sets up once for all of them reaches that method. Which
/// of these tests comes first depends only on the order.
#[must_use]
pub fn candidates(coverage: &Coverage, method: MethodId) -> Vec<TestId> {
    let mut tests: BTreeSet<TestId> = coverage.covering[method].iter().copied().collect();
    tests.extend(coverage.sharing.get(&method).into_iter().flatten());
    tests.into_iter().filter(|test| !coverage.is_quarantined(*test)).collect()
}

#[cfg(test)]
mod tests;
