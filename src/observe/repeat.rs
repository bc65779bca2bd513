//! From undetected transformations to what was observed of each: first runs tell where the two sides can differ, repetitions whether they do.

use super::difference::{differences, repeatability};
use super::run::{MACHINES, Observers, Series, Target};
use super::screen::{Open, open};
use super::{Observed, Site};
use crate::error::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Transformations that are reached by the same tests: one set of runs on the original code serves all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// In the order of the suite.
    pub tests: Vec<usize>,
    pub targets: Vec<Target>,
    /// Numbers of other methods that are observed as the tests' expressions are.
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
        group.targets.push(Target { transformation: Some(*transformation), method: Some(*method) });
    }
    groups.into_values().collect()
}

/// What was observed of a group.
#[derive(Clone, Debug, Default)]
pub struct GroupObserved {
    /// One entry for each target.
    pub targets: Vec<Observed>,
    /// How many observations of the original code were compared with those of the other side.
    pub compared: u64,
}

/// Same tests, same order, both sides. Only what can differ after the first runs is run again: those tests, and of those the places.
///
/// # Errors
/// When a worker cannot be started, or the user interrupts.
pub fn observe(observers: &mut Observers<'_>, group: &Group) -> Result<GroupObserved> {
    let methods: BTreeSet<u32> = group.targets.iter().filter_map(|target| target.method).collect();
    let methods: Vec<Site> = methods.into_iter().map(Site::Method).collect();
    let digested: Vec<Site> =
        group.other_methods.iter().copied().map(Site::Method).chain(observers.expressions()).collect();
    let series = Series { tests: &group.tests, targets: &group.targets, recorded: &methods, digested: &digested };
    // One on each side in either JVM.
    let mut observed = observers.run(series, MACHINES)?;
    let compared = observed.iter().map(compared).sum();

    let open: Vec<Open> = observed.iter().map(open).collect();
    let open_tests: BTreeSet<usize> = open.iter().flatten().map(|(test, _)| *test as usize).collect();
    let tests: Vec<usize> = group.tests.iter().copied().filter(|test| open_tests.contains(test)).collect();
    let sites: BTreeSet<Site> = methods.into_iter().chain(open.iter().flatten().map(|(_, site)| *site)).collect();
    let recorded: Vec<Site> = sites.into_iter().collect();
    let mut repeat = |tests: &[usize], which: &[usize], observed: &mut [Observed]| -> Result<()> {
        let targets: Vec<Target> = which.iter().filter_map(|index| group.targets.get(*index).copied()).collect();
        let series = Series { tests, targets: &targets, recorded: &recorded, digested: &[] };
        for (index, repeated) in which.iter().zip(observers.run(series, observers.runs())?) {
            if let Some(observed) = observed.get_mut(*index) {
                observed.repeat(repeated);
            }
        }
        Ok(())
    };
    let which: Vec<usize> =
        (0..open.len()).filter(|index| open.get(*index).is_some_and(|open| !open.is_empty())).collect();
    repeat(&tests, &which, &mut observed)?;
    // Where the tests that vary prove to say nothing, the others have to: those that showed no difference in the first runs.
    let says_nothing = |index: &usize| match (observed.get(*index), group.targets.get(*index)) {
        (Some(observed), Some(Target { method: Some(method), .. })) => {
            differences(observed).is_empty() && repeatability(observed, *method, |_| true).repeatable == 0
        }
        _ => false,
    };
    let silent: Vec<usize> =
        if tests.len() < group.tests.len() { which.into_iter().filter(says_nothing).collect() } else { Vec::new() };
    repeat(&group.tests, &silent, &mut observed)?;
    Ok(GroupObserved { targets: observed, compared })
}

/// Observations in the first run of the original.
fn compared(observed: &Observed) -> u64 {
    observed.original.first().map_or(0, |run| {
        let recorded = u64::try_from(run.observations.len()).unwrap_or(u64::MAX);
        run.digests.iter().map(|digest| u64::from(digest.count)).sum::<u64>() + recorded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_with_the_same_tests_share_the_runs_of_the_original() {
        let groups = group(&[(4, 20, vec![1, 2]), (7, 30, vec![3]), (9, 20, vec![1, 2]), (10, 10, vec![1, 2])]);
        let target = |(transformation, method): &(usize, u32)| Target {
            transformation: Some(*transformation),
            method: Some(*method),
        };
        let of = |tests: &[usize], targets: &[(usize, u32)]| Group {
            tests: tests.to_vec(),
            targets: targets.iter().map(target).collect(),
            other_methods: Vec::new(),
        };
        assert_eq!(groups, [of(&[1, 2], &[(4, 20), (9, 20), (10, 10)]), of(&[3], &[(7, 30)])]);
    }
}
