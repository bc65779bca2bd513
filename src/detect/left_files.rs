//! Confirms in a clean copy of the module's folder that no test fails, if a test may write files. In the project's own folder,
//! a file that an earlier run left behind can hide the failure.

use super::judge::Work;
use super::runner::{Runner, Seen};
use super::stage::Stage;
use super::verdict::{Judged, Verdict};
use super::way::Way;
use super::{Expected, Input, judge_all};
use crate::base::error::Result;
use crate::base::id::{RecipeId, TestId, TransformationId};
use crate::base::interrupt;
use crate::jvm::client::Launch;
use crate::recipe::{CleanCopy, Extent};
use crate::run::Pool;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

/// Judges these transformations again if none of their tests failed, and one of them may write files. What a test notices in
/// the copy is detected.
pub(super) fn confirm_in_copy(
    input: &Input<'_>,
    recipe: RecipeId,
    work: &[&Work],
    judged: &mut BTreeMap<TransformationId, Judged>,
    pool: &Pool,
) -> Result<()> {
    let is_open =
        |work: &&Work| judged.get(&work.transformation).is_some_and(|judged| may_need_copy(input, work, judged));
    let work: Vec<&Work> = work.iter().copied().filter(is_open).collect();
    if work.is_empty() {
        return Ok(());
    }
    let again = judge_in_copy(input, recipe, &work, pool);
    pool.end(pool.spare());
    for (id, again) in again? {
        let Some(known) = judged.get_mut(&id) else { continue };
        let could_not_run = matches!(known.verdict, Verdict::FailedToRun(_)) && again.verdict.is_undetected();
        if again.verdict.kill().is_some() || could_not_run {
            *known = again;
        }
    }
    Ok(())
}

/// Whether a run in a clean copy may change this verdict.
pub(super) fn may_need_copy(input: &Input<'_>, work: &Work, judged: &Judged) -> bool {
    matches!(judged.verdict, Verdict::Undetected { .. } | Verdict::FailedToRun(_))
        && work.tests.iter().any(|test| input.coverage.may_write(*test))
}

fn judge_in_copy(
    input: &Input<'_>,
    recipe: RecipeId,
    work: &[&Work],
    pool: &Pool,
) -> Result<BTreeMap<TransformationId, Judged>> {
    let (Some(with_folder), Some(launch)) = (input.recipes.get(recipe), input.launches.get(recipe)) else {
        return Ok(BTreeMap::new());
    };
    let keys = work.iter().map(|work| input.transformations.transformations[work.transformation].key());
    // The run of whole classes settles the verdict, if it is the same again.
    let expected = Expected { undetected: keys.collect(), late: input.expected.late.clone(), ..Expected::default() };
    let since = input.coverage.since.unwrap_or_else(SystemTime::now);
    for extent in [Extent::ClassPath, Extent::BuildFolder] {
        let Some(mut copy) = CleanCopy::new(with_folder, extent, since) else { break };
        let launch = Arc::new(copy.launch(launch));
        let mut stage = Stage::new(input.transformations, input.coverage, &expected);
        stage.copy = Some(Mutex::new(copy));
        match passes(&stage, &launch, work, pool) {
            Err(error) if interrupt::ends_run(&error) => return Err(error),
            Ok(true) => {}
            // Tests that fail there in any case decide nothing.
            Ok(false) if extent == Extent::BuildFolder => {}
            Ok(false) | Err(_) => continue,
        }
        let mut judged = BTreeMap::new();
        judge_all(&stage, &launch, &[pool.spare()], work, &|_, _| {}, pool, &mut judged)?;
        return Ok(judged);
    }
    Ok(BTreeMap::new())
}

/// Whether all tests pass on the original code in the copy, as they do in the project's own folder.
fn passes(stage: &Stage<'_>, launch: &Arc<Launch>, work: &[&Work], pool: &Pool) -> Result<bool> {
    let tests: BTreeSet<TestId> = work.iter().flat_map(|work| &work.tests).copied().collect();
    let tests = stage.classes.around(&tests.into_iter().collect::<Vec<_>>());
    pool.run_in(pool.spare(), launch, |session| {
        let seen = Runner::new(stage, session).run(None, &tests, Way::Clean)?;
        Ok(matches!(seen, Seen::AllPassed))
    })
}
