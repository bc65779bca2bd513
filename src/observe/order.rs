//! Observes a group of undetected transformations. First runs show where the two sides can differ,
//! and repetitions show whether they do. Quick tests come first. Slow tests run only if the quick
//! ones show less than a test can.

use super::choice::Preference;
use super::first::{First, SAMPLES, first_runs};
use super::group::Group;
use super::observers::Observers;
use super::previous::{Found, Previous};
use super::repeat::repeat;
use super::series::{MACHINES, Target};
use super::{Difference, Observed, Site};
use crate::base::error::Result;
use crate::base::id::TestId;

/// Observes the targets of a group with the same tests in the same order on both sides. Tests that
/// take far longer than similar tests have first runs of their own, and only if the other tests
/// show less than a test can. The result has one entry for each target; `None` if its result is
/// already known.
///
/// # Errors
/// When a worker cannot be started, or the user interrupts.
pub fn observe(
    observers: &Observers<'_>,
    group: &Group,
    preference: &Preference<'_>,
    known: &dyn Previous,
) -> Result<Vec<Option<Found>>> {
    let (slow, quick): (Vec<TestId>, Vec<TestId>) = group.tests.iter().partition(|test| observers.is_slow(**test));
    let with_slow = !slow.is_empty() && !quick.is_empty();
    let tests = if with_slow { quick } else { group.tests.clone() };
    let of_quick = Group { tests, ..group.clone() };
    let mut found = vec![None; group.targets.len()];
    let unknown = told_by_one(observers, &of_quick, known)?;
    if unknown.is_empty() {
        return Ok(found);
    }
    let slow = if with_slow { slow } else { Vec::new() };
    let anew = observe_anew(observers, &group.of(&unknown), &of_quick.of(&unknown), slow, preference, known)?;
    put(&mut found, unknown.into_iter().zip(anew));
    Ok(found)
}

/// The targets (by their indices) whose known results are not confirmed by one run of the original
/// code and one run of each target.
fn told_by_one(observers: &Observers<'_>, group: &Group, known: &dyn Previous) -> Result<Vec<usize>> {
    let all = 0..group.targets.len();
    if !group.targets.iter().all(|target| known.may_need_one_run(target, &group.tests)) {
        return Ok(all.collect());
    }
    let first = first_runs(observers, group, SAMPLES, 1)?;
    let is_known =
        |(target, first): (&Target, Observed)| known.is_known(target, &group.tests, &First::new(target, first));
    let is_known: Vec<bool> = group.targets.iter().zip(first).map(is_known).collect();
    Ok(all.zip(is_known).filter(|(_, is_known)| !is_known).map(|(index, _)| index).collect())
}

/// [`observe`], for targets whose results may have changed. `of_quick` is the group without its
/// `slow` tests.
fn observe_anew(
    observers: &Observers<'_>,
    group: &Group,
    of_quick: &Group,
    slow: Vec<TestId>,
    preference: &Preference<'_>,
    known: &dyn Previous,
) -> Result<Vec<Option<Found>>> {
    let all: Vec<usize> = (0..group.targets.len()).collect();
    let first = first_runs(observers, of_quick, SAMPLES, MACHINES)?;
    let mut found = vec![None; group.targets.len()];
    let repeated = repeat_unknown(observers, of_quick, &all, first.clone(), preference, known)?;
    let is_unshown = |found: &Option<Found>| found.as_ref().is_some_and(|(_, told)| !is_shown(told));
    let unshown: Vec<usize> = repeated.iter().filter(|(_, found)| is_unshown(found)).map(|(index, _)| *index).collect();
    put(&mut found, repeated);
    if slow.is_empty() || unshown.is_empty() {
        return Ok(found);
    }
    let of_slow = Group { tests: slow, ..group.of(&unshown) };
    let mut first: Vec<Observed> = unshown.iter().filter_map(|index| first.get(*index).cloned()).collect();
    for (first, of_slow) in first.iter_mut().zip(first_runs(observers, &of_slow, SAMPLES, MACHINES)?) {
        first.add(of_slow);
    }
    put(&mut found, unshown.iter().map(|index| (*index, None)));
    let repeated = repeat_unknown(observers, group, &unshown, first, preference, known)?;
    put(&mut found, repeated);
    Ok(found)
}

fn put(all: &mut [Option<Found>], found: impl IntoIterator<Item = (usize, Option<Found>)>) {
    for (index, found) in found {
        if let Some(place) = all.get_mut(index) {
            *place = found;
        }
    }
}

/// The results of these targets of the group (by their indices), without the known ones. `first`
/// has one entry for each of these targets.
fn repeat_unknown(
    observers: &Observers<'_>,
    group: &Group,
    targets: &[usize],
    first: Vec<Observed>,
    preference: &Preference<'_>,
    known: &dyn Previous,
) -> Result<Vec<(usize, Option<Found>)>> {
    let targets = targets.iter().filter_map(|index| Some((*index, *group.targets.get(*index)?)));
    let of_targets = targets.zip(first).map(|((index, target), first)| (index, target, First::new(&target, first)));
    let unknown: Vec<_> =
        of_targets.filter(|(_, target, first)| !known.is_known(target, &group.tests, first)).collect();
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    let group = Group { targets: unknown.iter().map(|(_, target, _)| *target).collect(), ..group.clone() };
    let (indices, first): (Vec<usize>, Vec<First>) =
        unknown.into_iter().map(|(index, _, first)| (index, first)).unzip();
    Ok(indices.into_iter().zip(repeat(observers, &group, &first, preference, known)?).collect())
}

/// Whether some expression of a test shows a difference that decides the symptom. No test can show
/// more.
fn is_shown(told: &[Difference]) -> bool {
    told.iter().any(|found| !found.deep && matches!(found.key.site, Site::Expression(_)))
}
