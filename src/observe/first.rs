//! The first runs of a target: the places at which the two sides can differ, the differences so
//! far, and a digest of everything that the repetitions depend on.

use super::choice::Preference;
use super::difference::repeatable_tests;
use super::group::Group;
use super::observers::Observers;
use super::screen::PossibleDifferences;
use super::series::{MACHINES, Series, Target};
use super::{Difference, Observed, Recording, Site, Thread};
use crate::base::error::Result;
use crate::base::fingerprint::Fingerprint;
use crate::base::id::{MethodId, TestId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The first runs of one target.
#[derive(Clone, Debug)]
pub struct First {
    pub observed: Observed,
    /// The places at which something can differ.
    pub(super) open: PossibleDifferences,
    /// The differences in these runs, among recorded observations.
    pub seen: Vec<Difference>,
}

/// Everything that the repetitions of a target and its reported differences depend on, except the
/// recordings of the first runs.
#[derive(Serialize)]
struct Digested<'a> {
    /// The tests of the group.
    tests: &'a [TestId],
    /// The open places, with the preference for their tests, and the number of observations in
    /// these.
    open: Vec<(TestId, Site, Option<u8>, u64)>,
    original: BTreeSet<PlaceDigest<'a>>,
    transformed: Vec<BTreeSet<PlaceDigest<'a>>>,
    seen: Vec<Difference>,
    repeatable: BTreeSet<TestId>,
    failed: BTreeSet<(TestId, String)>,
}

/// Test, site and thread; whether the digest is of late observations, and whether of exceptions;
/// the number of observations, and the digest of their states.
type PlaceDigest<'a> = (TestId, Site, &'a Thread, (bool, bool), u32, u64);

impl First {
    pub(super) fn new(target: &Target, observed: Observed) -> Self {
        Self { open: target.open(&observed), seen: target.differences(&observed), observed }
    }

    /// A digest of the first runs. Equal digests mean that the repetitions of these tests give the
    /// same result, provided that a test that did the same in both first runs always does so.
    /// `None` if the original code varied at a place where a difference can be.
    #[must_use]
    pub fn digest(&self, tests: &[TestId], method: MethodId, preference: &Preference<'_>) -> Option<String> {
        let of_run = |run| self.digests(run);
        let originals: BTreeSet<_> = self.observed.original.iter().map(|run| of_run(run)).collect();
        let mut originals = originals.into_iter();
        let (Some(original), None) = (originals.next(), originals.next()) else { return None };
        let amounts = self.observed.original.first().map(|run| amounts(run)).unwrap_or_default();
        let near = |(test, site): &(TestId, Site)| {
            (*test, *site, preference(method, *test), amounts.get(test).copied().unwrap_or(0))
        };
        let without_stack = |found: &Difference| Difference { stack: Vec::new(), ..found.clone() };
        let digested = Digested {
            tests,
            open: self.open.iter().map(near).collect(),
            original,
            transformed: self.observed.transformed.iter().map(|run| of_run(run)).collect(),
            seen: self.seen.iter().map(without_stack).collect(),
            repeatable: repeatable_tests(&self.observed, method),
            failed: self.observed.failed().collect(),
        };
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(&serde_json::to_string(&digested).ok()?);
        Some(fingerprint.finish())
    }

    /// Whether the first run of the original code alone gives this [digest](Self::digest).
    #[must_use]
    pub fn one_gives(&self, digest: &str, tests: &[TestId], method: MethodId, preference: &Preference<'_>) -> bool {
        let [one, _, ..] = &self.observed.original[..] else { return true };
        let observed = Observed { original: vec![Arc::clone(one)], ..self.observed.clone() };
        let target = Target { transformation: None, method: Some(method) };
        Self::new(&target, observed).digest(tests, method, preference).as_deref() == Some(digest)
    }

    /// The digests of a run at the open places.
    fn digests<'r>(&self, run: &'r Recording) -> BTreeSet<PlaceDigest<'r>> {
        let is_open = |test: TestId, site: Site| self.open.contains(&(test, site));
        let open = run.digests.iter().filter(|digest| is_open(digest.test, digest.site));
        open.map(|d| (d.test, d.site, &d.thread, (d.late, d.thrown), d.count, d.hash)).collect()
    }
}

/// The number of observations in each test.
pub(super) fn amounts(run: &Recording) -> BTreeMap<TestId, u64> {
    let mut amounts: BTreeMap<TestId, u64> = BTreeMap::new();
    run.observations.keys().iter().for_each(|key| *amounts.entry(key.test).or_default() += 1);
    run.digests.iter().for_each(|digest| *amounts.entry(digest.test).or_default() += u64::from(digest.count));
    amounts
}

/// The room for samples (see [`Sites::samples`](crate::jvm::protocol::Sites::samples)) in all first
/// runs of the groups that are observed at the same time. It takes less than 100 MB, and holds all
/// observations of most tests.
pub(super) const SAMPLES: u32 = 2_000_000;

/// Makes the first runs of a group: `originals` runs of the original code (one in each JVM shows
/// what varies), and one run of each target. An observation that a target's run has in common with
/// a run of the original code can never become a difference. Of the targets' methods, the first
/// invocations in each test are recorded. Everything else is digested, and `samples` is the room
/// for digested observations that are also recorded.
pub(super) fn first_runs(
    observers: &Observers<'_>,
    group: &Group,
    samples: u32,
    originals: usize,
) -> Result<Vec<Observed>> {
    let methods = group.methods();
    let others = group.other_methods.iter().copied().map(Site::Method).chain(observers.expressions());
    let digested: Vec<Site> = methods.iter().copied().chain(others).collect();
    let (tests, targets) = (&group.tests, &group.targets);
    let runs = u32::try_from(MACHINES + targets.len()).unwrap_or(u32::MAX);
    let samples = samples / runs.max(1) / observers.sharing();
    let (recorded, briefly, digested) = (&[][..], &methods[..], &digested[..]);
    let (stacks, targets_once) = (true, true);
    let rank = group.rank;
    observers
        .run(Series { rank, tests, targets, recorded, briefly, digested, samples, stacks, targets_once }, originals)
}

#[cfg(test)]
mod tests {
    use super::super::recorded::sides;
    use super::super::series::Target;
    use super::*;
    use crate::base::id::{ExpressionId, TransformationId};
    use crate::observation::Digest;

    fn run(expression: u64, other: u64) -> Recording {
        let at = |site, hash| Digest {
            test: TestId(0),
            site,
            thread: Thread::default(),
            late: false,
            thrown: false,
            count: 1,
            hash,
        };
        Recording {
            digests: vec![
                at(Site::Expression(ExpressionId(3)), expression),
                at(Site::Expression(ExpressionId(4)), other),
            ],
            ..Recording::default()
        }
    }

    fn digest(original: [Recording; 2], transformed: Recording, tests: &[TestId]) -> Option<String> {
        let target = Target { transformation: Some(TransformationId(0)), method: Some(MethodId(7)) };
        First::new(&target, sides(original.into(), vec![transformed])).digest(tests, MethodId(7), &|_, _| None)
    }

    #[test]
    fn a_digest_is_of_what_can_differ() {
        let before = digest([run(1, 5), run(1, 5)], run(2, 5), &[TestId(0)]);
        assert!(before.is_some());
        assert_eq!(digest([run(1, 6), run(1, 6)], run(2, 6), &[TestId(0)]), before, "what is the same on both sides");
        assert_eq!(digest([run(1, 6), run(1, 7)], run(2, 7), &[TestId(0)]), before, "what varies on the original side");
        assert_ne!(digest([run(1, 5), run(1, 5)], run(3, 5), &[TestId(0)]), before, "the transformed side");
        assert_ne!(digest([run(3, 5), run(3, 5)], run(2, 5), &[TestId(0)]), before, "the original side");
        assert_ne!(digest([run(1, 5), run(1, 5)], run(2, 6), &[TestId(0)]), before, "at one place more");
        assert_ne!(digest([run(1, 5), run(1, 5)], run(2, 5), &[TestId(0), TestId(1)]), before, "other tests");
    }

    #[test]
    fn one_run_of_the_original_code_gives_it_where_nothing_varies_that_would_be_open_without_the_other() {
        let one_gives = |other: Recording| {
            let target = Target { transformation: Some(TransformationId(0)), method: Some(MethodId(7)) };
            let first = First::new(&target, sides(vec![run(1, 5), other], vec![run(2, 6)]));
            let digest = first.digest(&[TestId(0)], MethodId(7), &|_, _| None).unwrap_or_default();
            first.one_gives(&digest, &[TestId(0)], MethodId(7), &|_, _| None)
        };
        assert!(one_gives(run(1, 5)));
        assert!(!one_gives(run(1, 6)), "which is noise is not told by one");
    }

    #[test]
    fn there_is_none_where_the_original_code_varies_at_what_can_differ() {
        assert_eq!(digest([run(1, 5), run(4, 5)], run(2, 5), &[TestId(0)]), None);
    }
}
