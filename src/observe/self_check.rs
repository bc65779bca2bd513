//! Compares the original code with itself. There must be no difference.

use super::difference::differences;
use super::first::first_runs;
use super::group::Group;
use super::observers::Observers;
use super::repeat::Repetition;
use super::screen::{PossibleDifferences, open, open_late_only};
use super::series::{MACHINES, Target};
use super::{Difference, Observed, Site};
use crate::base::error::Result;
use crate::base::id::{MethodId, TestId};
use crate::observation::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of observations of one run that are in memory at a time.
const MOST_OBSERVATIONS: u64 = 250_000;

/// The result of comparing the original code with itself.
#[derive(Clone, Debug, Default)]
pub struct SelfCompared {
    pub differences: Vec<Difference>,
    /// Tests that did not pass while observed, and why.
    pub failed: BTreeSet<(TestId, String)>,
    /// The number of observations of one run that were compared.
    pub compared: u64,
}

/// Compares the original code with itself, at `other_methods` and all expressions of the tests.
/// What can differ after the first runs is run again in parts, so that memory does not grow with
/// what the tests do.
///
/// # Errors
/// When a worker cannot be started, or the user interrupts.
pub fn compare_with_itself(
    observers: &Observers<'_>,
    tests: Vec<TestId>,
    other_methods: Vec<MethodId>,
    verbose: &dyn Fn(&str),
) -> Result<SelfCompared> {
    let group = Group { rank: 0, tests, targets: vec![Target::default()], other_methods };
    // No digested observation is also recorded: memory would grow with the tests, and little
    // varies.
    let first = first_runs(observers, &group, 0, MACHINES)?;
    let mut result = SelfCompared { compared: first.iter().map(compared).sum(), ..SelfCompared::default() };
    for first in &first {
        result.failed.extend(first.failed());
        let open = open(first);
        let parts = parts(&open, first, MOST_OBSERVATIONS);
        let count = parts.len();
        for (number, part) in (1..).zip(parts) {
            verbose(&format!("Part {number} of {count} of what varied: {} places in tests", part.len()));
            let mut repetition = Repetition::new(observers, &group, vec![first.clone()], BTreeSet::new());
            repetition.narrow(vec![part], None)?;
            for observed in &repetition.observed {
                result.failed.extend(observed.failed());
                result.differences.extend(differences(observed));
            }
        }
    }
    result.differences.sort();
    Ok(result)
}

/// The number of observations in the first run of the original code.
fn compared(observed: &Observed) -> u64 {
    observed.original.first().map_or(0, |run| {
        let recorded = u64::try_from(run.observations.len()).unwrap_or(u64::MAX);
        run.digests.iter().map(|digest| u64::from(digest.count)).sum::<u64>() + recorded
    })
}

/// Splits the open places into parts of whole sites. In no first run does a part have more than
/// `most` observations to record, unless it is a single site.
fn parts(open: &PossibleDifferences, first: &Observed, most: u64) -> Vec<PossibleDifferences> {
    let to_the_end = open_late_only(first);
    let mut counts: BTreeMap<Site, u64> = BTreeMap::new();
    for run in first.original.iter().chain(&first.transformed) {
        let mut of_run: BTreeMap<Site, u64> = BTreeMap::new();
        let is_recorded = |digest: &&Digest| {
            open.contains(&(digest.test, digest.site)) && (!digest.late || to_the_end.contains(&digest.site))
        };
        for digest in run.digests.iter().filter(is_recorded) {
            *of_run.entry(digest.site).or_default() += u64::from(digest.count);
        }
        for (site, count) in of_run {
            let known = counts.entry(site).or_default();
            *known = count.max(*known);
        }
    }
    let (mut parts, mut part_of, mut size) = (Vec::new(), BTreeMap::new(), u64::MAX);
    for (site, count) in counts {
        size = size.saturating_add(count);
        if size > most {
            parts.push(PossibleDifferences::new());
            size = count;
        }
        part_of.insert(site, parts.len() - 1);
    }
    for (test, site) in open {
        if let Some(part) = part_of.get(site).and_then(|part| parts.get_mut(*part)) {
            part.insert((*test, *site));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::recorded::sides;
    use super::*;
    use crate::base::id::ExpressionId;
    use crate::observation::{Recording, Thread};

    /// Test, expression, count.
    fn run(digests: &[(u32, u32, u32)]) -> Recording {
        let digest = |(test, expression, count): &(u32, u32, u32)| Digest {
            test: TestId(*test),
            site: Site::Expression(ExpressionId(*expression)),
            thread: Thread::default(),
            late: false,
            thrown: false,
            count: *count,
            hash: 0,
        };
        Recording { digests: digests.iter().map(digest).collect(), ..Recording::default() }
    }

    #[test]
    fn late_observations_count_only_where_they_are_recorded() {
        let late = |expression: u32, early: u64, late: u64| {
            let mut run = run(&[(0, expression, 60), (0, expression, 600)]);
            run.digests.iter_mut().zip([early, late]).for_each(|(digest, hash)| digest.hash = hash);
            run.digests.iter_mut().skip(1).for_each(|digest| digest.late = true);
            run
        };
        let both = |left: Recording, mut right: Recording| {
            right.add(left);
            right
        };
        let one = both(late(1, 1, 1), late(2, 1, 1));
        let other = both(late(1, 2, 2), late(2, 2, 2));
        let open = PossibleDifferences::from([
            (TestId(0), Site::Expression(ExpressionId(1))),
            (TestId(0), Site::Expression(ExpressionId(2))),
        ]);
        assert_eq!(parts(&open, &sides(vec![one.clone()], vec![other]), 200).len(), 1);
        let late_only = both(late(1, 1, 2), late(2, 1, 2));
        assert_eq!(parts(&open, &sides(vec![one], vec![late_only]), 200).len(), 2);
    }

    #[test]
    fn no_part_has_more_observations_than_it_may_but_for_a_site_that_alone_has_more() {
        let one = run(&[(0, 1, 30), (1, 1, 30), (0, 2, 30), (0, 3, 500), (1, 4, 10), (9, 4, 999)]);
        let other = run(&[(0, 2, 40), (0, 3, 20), (1, 5, 90)]);
        let pairs = [(0, 1), (1, 1), (0, 2), (0, 3), (1, 4), (1, 5)];
        let open: PossibleDifferences = pairs
            .iter()
            .map(|(test, expression)| (TestId(*test), Site::Expression(ExpressionId(*expression))))
            .collect();
        let parts = parts(&open, &sides(vec![one], vec![other]), 100);
        let expressions: Vec<BTreeSet<u32>> = parts
            .iter()
            .map(|part| {
                let number = |(_, site): &(TestId, Site)| match site {
                    Site::Expression(expression) => expression.0,
                    Site::Method(method) => method.0,
                };
                part.iter().map(number).collect()
            })
            .collect();
        assert_eq!(expressions, [BTreeSet::from([1, 2]), BTreeSet::from([3]), BTreeSet::from([4, 5])]);
        assert_eq!(parts.iter().map(PossibleDifferences::len).sum::<usize>(), open.len());
    }
}
