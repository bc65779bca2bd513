//! Confirms with runs of all tests that none fails, if such a run costs little. What a test leaves in a static field, or no
//! longer cleans up, can make a test of another class fail that never enters the method.

use super::Input;
use super::judge::{Judge, Work};
use super::runner::{Failure, Seen, ended_jvm};
use super::stage::Stage;
use super::verdict::{Basis, Judged, Verdict};
use super::way::Way;
use super::whole_classes::Around;
use crate::base::error::Result;
use crate::base::id::{GuardId, MethodId, RecipeId, TestId, TransformationId};
use crate::base::interrupt;
use crate::jvm::client::Launch;
use crate::run::Pool;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The runs of all tests may be this part of the tests that the analysis runs without them.
const PART: usize = 10;
/// The runs of its tests that an undetected transformation needs later: ten on each side, if nothing is asked otherwise.
const OBSERVATIONS: usize = 20;
/// Its patch takes about as long as this many short tests: tests are compiled, and proven in JVMs of their own.
const PATCH: usize = 500;
/// The same in nanoseconds.
const PATCH_TIME: u64 = 3_000_000_000;
/// One run of all tests may take this part of the time of the analysis. Where tests are counted, some may be far longer
/// than others; counts alone are the same each time.
const PART_OF_TIME: u64 = 5;

/// Runs all tests with the undetected transformations of this recipe. Those of different methods are active in one run; a
/// group with which a test fails is halved until one transformation is left. It is detected if the test fails with it a
/// second time, and passes twice without it.
pub(super) fn confirm_with_all_tests(
    input: &Input<'_>,
    recipe: RecipeId,
    work: &[&Work],
    judged: &mut BTreeMap<TransformationId, Judged>,
    pool: &Pool,
) -> Result<()> {
    let Some(launch) = input.launches.get(recipe) else { return Ok(()) };
    let is_survivor =
        |judged: &Judged| matches!(&judged.verdict, Verdict::Undetected { sometimes, .. } if sometimes.is_empty());
    if !judged.values().any(is_survivor) {
        return Ok(());
    }
    let stage = Stage::new(input.transformations, input.coverage, input.expected);
    let of_recipe = input.coverage.tests.iter_enumerated().filter(|(_, test)| test.recipe == recipe);
    let all: Vec<TestId> = of_recipe.map(|(id, _)| id).filter(|id| !input.coverage.is_quarantined(*id)).collect();
    let Around { tests, is_complete } = stage.classes.complete(&all);
    let is_open = |work: &&&Work| {
        judged.get(&work.transformation).is_some_and(is_survivor)
            && stage.classes.around(&work.tests).len() < tests.len()
    };
    let open: Vec<&Work> = work.iter().filter(is_open).copied().collect();
    let nanoseconds =
        |tests: &[TestId]| -> u64 { tests.iter().filter_map(|test| input.coverage.nanoseconds.get(*test)).sum() };
    let detection: u64 = judged.values().map(|judged| nanoseconds(&judged.basis.tests)).sum();
    let of_open: u64 = open.iter().map(|work| OBSERVATIONS as u64 * nanoseconds(&work.tests) + PATCH_TIME).sum();
    if nanoseconds(&tests) > (detection + of_open) / PART_OF_TIME {
        return Ok(());
    }
    let in_detection: usize = judged.values().map(|judged| judged.basis.tests.len()).sum();
    let in_others: usize = open.iter().map(|work| OBSERVATIONS * work.tests.len() + PATCH).sum();
    let mut left = (in_detection + in_others) / PART;
    let way = if is_complete { Way::Whole } else { Way::Clean };
    let mut groups = of_different_methods(input, &open);
    let mut is_usable = true;
    while let Some(group) = groups.pop().filter(|_| is_usable && tests.len() <= left) {
        left -= tests.len();
        let Some((guard, launch)) = all_at_once(launch, &group) else { continue };
        let found = pool.run_in(0, &launch, |session| {
            let mut judge = Judge::new(&stage, session);
            let failure = match judge.runner.run(Some(guard), &tests, way)? {
                Seen::AllPassed => return Ok(None),
                Seen::Failed(failure) => failure,
                Seen::Died(Some(test)) => Failure { kill: ended_jvm(test), of_class: false },
                Seen::Late(_) | Seen::Died(None) | Seen::Broken(_) => return Ok(Some(None)),
            };
            // Several at once may fail together, and each of them not.
            if group.len() > 1 {
                is_usable = judge.passes_on_original(&tests, &failure, way)?;
                return Ok(Some(None));
            }
            let is_sure = judge.is_detection_among(guard, &tests, &[], &failure, way)?;
            let entered = (!judge.runner.is_unknown).then(|| std::mem::take(&mut judge.runner.entered));
            Ok(Some(is_sure.then_some((failure.kill, entered))))
        })?;
        interrupt::check()?;
        match (found, group.as_slice()) {
            (None, _) | (Some(None), [_]) => {}
            (Some(Some((kill, entered))), [work]) => {
                let beside = tests.iter().copied().filter(|test| !work.tests.contains(test)).collect();
                let basis = Basis { tests: work.tests.clone(), beside, only_clean: true, entered, ..Basis::default() };
                judged.insert(work.transformation, Judged { verdict: Verdict::Detected(kill), basis });
            }
            (Some(_), several) => {
                let (first, second) = several.split_at(several.len() / 2);
                groups.extend([second.to_vec(), first.to_vec()]);
            }
        }
    }
    Ok(())
}

/// Groups with at most one transformation of each method.
fn of_different_methods<'w>(input: &Input<'_>, open: &[&'w Work]) -> Vec<Vec<&'w Work>> {
    let mut groups: Vec<(BTreeSet<MethodId>, Vec<&'w Work>)> = Vec::new();
    for work in open {
        let method = input.transformations.transformations[work.transformation].method;
        let group = match groups.iter_mut().find(|(methods, _)| !methods.contains(&method)) {
            Some(group) => group,
            None => groups.push_mut((BTreeSet::new(), Vec::new())),
        };
        group.0.insert(method);
        group.1.push(work);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The launch in which one number switches on all transformations of the group, and that number.
fn all_at_once(launch: &Arc<Launch>, group: &[&Work]) -> Option<(GuardId, Arc<Launch>)> {
    let one = group.first()?.guard;
    if group.len() == 1 {
        return Some((one, Arc::clone(launch)));
    }
    let numbers: BTreeSet<u32> = group.iter().map(|work| work.guard.number()).collect();
    let mut launch = Launch::clone(launch);
    for method in launch.start.weave.values_mut().flat_map(|class| &mut class.methods) {
        method.guards.retain(|(number, _)| numbers.contains(number));
        method.guards.iter_mut().for_each(|(number, _)| *number = one.number());
    }
    Some((one, Arc::new(launch)))
}
