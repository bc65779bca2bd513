//! Finds what can still differ after the first runs of both sides, by test and site. Nothing else
//! needs to be run again.
//!
//! A difference counts only if it is constant over all runs of each side. If one run of the
//! original and one of the transformed code agree at a place, or the noise rules make them equal,
//! no further run can turn it into a difference. The same is true of a place that some run of
//! either side does not reach, unless it is an exception.

use super::difference::{sampled_differences, varying};
use super::{Observed, Recording, Site, Thread};
use crate::base::id::TestId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The tests and sites at which the two sides may differ.
pub(super) type PossibleDifferences = BTreeSet<(TestId, Site)>;

/// The places where a constant difference may be: those whose digests differ in every pair of runs,
/// and those whose recorded observations are not the same in all runs. If there are none, there is
/// no difference, however often the runs are repeated.
pub(super) fn open(first: &Observed) -> PossibleDifferences {
    let open_digests = open_digests(first);
    let sampled = Sampled::new(first, &open_digests);
    let is_left = |digested: &Digested<'_>| sampled.differs(digested).unwrap_or(true);
    let mut open: PossibleDifferences =
        open_digests.iter().filter(|digested| is_left(digested)).map(|d| (d.0, d.1)).collect();
    open.extend(varying(first));
    open
}

/// The comparison of the observations that were recorded in addition to their digests.
struct Sampled<'r> {
    /// Test, site and thread, if not all of its first observations were recorded in each run.
    incomplete: BTreeSet<(TestId, Site, &'r Thread)>,
    differing: PossibleDifferences,
}

impl<'r> Sampled<'r> {
    fn new(first: &'r Observed, open: &BTreeSet<Digested<'r>>) -> Self {
        let mut incomplete = BTreeSet::new();
        for run in first.original.iter().chain(&first.transformed) {
            let mut recorded: BTreeMap<(TestId, Site, &Thread), u32> = BTreeMap::new();
            for key in run.samples.keys() {
                *recorded.entry((key.test, key.site, &key.thread)).or_default() += 1;
            }
            for digest in run.digests.iter().filter(|digest| !digest.late) {
                let place = (digest.test, digest.site, &digest.thread);
                if recorded.get(&place).copied().unwrap_or(0) < digest.count {
                    incomplete.insert(place);
                }
            }
        }
        let open = open.iter().map(|(test, site, ..)| (*test, *site)).collect();
        Self { incomplete, differing: sampled_differences(first, &open) }
    }

    /// Whether the recorded observations of a digest differ; `None` if that is not known.
    fn differs(&self, (test, site, thread, late, _): &Digested<'_>) -> Option<bool> {
        (!late && !self.incomplete.contains(&(*test, *site, *thread))).then(|| self.differing.contains(&(*test, *site)))
    }
}

/// Sites whose first observations in some test and thread have the same digest, so that only later
/// ones can differ.
pub(super) fn open_late_only(first: &Observed) -> BTreeSet<Site> {
    let open = open_digests(first);
    let is_open_early =
        |(test, site, thread, _, thrown): &Digested<'_>| open.contains(&(*test, *site, *thread, false, *thrown));
    let late_only = open.iter().filter(|digested| digested.3 && !is_open_early(digested)).map(|(_, site, ..)| *site);
    let runs = first.original.iter().chain(&first.transformed);
    // Sites that are recorded have no digest of their first observations.
    let is_digested = |site: Site| runs.clone().flat_map(|run| &run.digests).any(|d| !d.late && d.site == site);
    late_only.filter(|site| is_digested(*site)).collect()
}

/// Tests in which later observations of this site can differ.
pub(super) fn open_late(first: &Observed, at: Site) -> BTreeSet<TestId> {
    let open = open_digests(first);
    open.into_iter().filter(|(_, site, _, late, _)| *late && *site == at).map(|(test, ..)| test).collect()
}

fn open_digests(first: &Observed) -> BTreeSet<Digested<'_>> {
    let (original, transformed) = (digests(&first.original), digests(&first.transformed));
    let mut open: BTreeSet<Digested<'_>> = original.keys().chain(transformed.keys()).copied().collect();
    open.retain(|key| {
        let original = by_run(original.get(key), first.original.len());
        let transformed = by_run(transformed.get(key), first.transformed.len());
        let is_in_all = original.iter().chain(&transformed).all(|digests| !digests.is_empty());
        let is_exception = key.4;
        (is_in_all || is_exception) && !original.iter().any(|digests| transformed.contains(digests))
    });
    open
}

/// Test, site and thread; whether the digest is of late observations, and whether of exceptions.
type Digested<'r> = (TestId, Site, &'r Thread, bool, bool);
/// For each digest, by run: counts and hashes.
type Side<'r> = BTreeMap<Digested<'r>, Seen>;
type Seen = BTreeMap<usize, Vec<(u32, u64)>>;

/// The digests by run. A run without observations of the site agrees with such a run of the other
/// side.
fn by_run(seen: Option<&Seen>, runs: usize) -> Vec<Vec<(u32, u64)>> {
    let mut by_run: Vec<_> = seen.map(|seen| seen.values().cloned().collect()).unwrap_or_default();
    by_run.resize(runs, Vec::new());
    by_run
}

fn digests(runs: &[Arc<Recording>]) -> Side<'_> {
    let mut side: Side<'_> = BTreeMap::new();
    for (run, recording) in runs.iter().enumerate() {
        for digest in &recording.digests {
            let key = (digest.test, digest.site, &digest.thread, digest.late, digest.thrown);
            let of_key = side.entry(key).or_default();
            of_key.entry(run).or_default().push((digest.count, digest.hash));
        }
    }
    side
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{Recorded, key, property, sides, test_key};
    use super::*;
    use crate::base::id::{ExpressionId, MethodId};
    use crate::observation::{Digest, Keyed, Part};

    fn digested(hashes: &[(u32, u64)]) -> Recording {
        let digest = |(expression, hash): &(u32, u64)| Digest {
            test: TestId(0),
            site: Site::Expression(ExpressionId(*expression)),
            thread: Thread::default(),
            late: false,
            thrown: false,
            count: 1,
            hash: *hash,
        };
        Recording { digests: hashes.iter().map(digest).collect(), ..Recording::default() }
    }

    fn open_sites(original: &[Recording], transformed: &[Recording]) -> Vec<Site> {
        open(&sides(original.to_vec(), transformed.to_vec())).into_iter().map(|(_, site)| site).collect()
    }

    #[test]
    fn a_site_is_open_if_no_run_of_one_side_agrees_with_one_of_the_other() {
        let original = [digested(&[(1, 7), (2, 7)]), digested(&[(1, 7), (2, 8)])];
        let transformed = [digested(&[(1, 9), (2, 8)]), digested(&[(1, 9), (2, 9)])];
        assert_eq!(open_sites(&original, &transformed), [Site::Expression(ExpressionId(1))]);
    }

    #[test]
    fn a_site_that_only_one_side_reaches_is_open_for_exceptions_alone() {
        let thrown = |recording: Recording| {
            let thrown = |digest| Digest { thrown: true, ..digest };
            Recording { digests: recording.digests.into_iter().map(thrown).collect(), ..recording }
        };
        let some = || digested(&[(1, 7)]);
        let none = || digested(&[]);
        assert_eq!(open_sites(&[some()], &[none()]), []);
        assert_eq!(open_sites(&[thrown(some())], &[none()]), [Site::Expression(ExpressionId(1))]);
        assert_eq!(open_sites(&[none()], &[thrown(some())]), [Site::Expression(ExpressionId(1))]);
        assert_eq!(open_sites(&[thrown(some()), none()], &[none(), none()]), []);
    }

    #[test]
    fn a_site_that_some_run_does_not_reach_is_not_open() {
        let some = || digested(&[(1, 7)]);
        assert_eq!(open_sites(&[some(), some()], &[digested(&[(1, 8)]), digested(&[])]), []);
    }

    #[test]
    fn a_site_is_open_late_only_if_its_first_observations_agree() {
        let run = |early: u64, late: u64| {
            let mut run = digested(&[(1, early), (1, late)]);
            run.digests.iter_mut().skip(1).for_each(|digest| digest.late = true);
            run
        };
        let late_only = |original, transformed| open_late_only(&sides(vec![original], vec![transformed]));
        assert_eq!(late_only(run(7, 7), run(7, 8)), BTreeSet::from([Site::Expression(ExpressionId(1))]));
        assert_eq!(open_sites(&[run(7, 7)], &[run(7, 8)]), [Site::Expression(ExpressionId(1))]);
        assert_eq!(late_only(run(7, 7), run(8, 8)), BTreeSet::new());
        assert_eq!(late_only(run(7, 7), run(7, 7)), BTreeSet::new());
        assert_eq!(late_only(digested(&[(1, 7)]), run(7, 8)), BTreeSet::new(), "later ones on one side only");
    }

    /// Two runs: expression 1 has the first value in the first run, and the second value in the
    /// second run.
    fn sampled(values: [&str; 2], hashes: [u64; 2]) -> Vec<Recording> {
        let run = |(value, hash): (&&str, &u64)| {
            let property = property(Part::Expression, "", "int", value);
            let recorded = Recorded::default().state(test_key(0, 1, 1), [property]).done();
            Recording { samples: recorded.observations, observations: Keyed::default(), ..recorded }
                .with(digested(&[(1, *hash)]))
        };
        values.iter().zip(&hashes).map(run).collect()
    }

    impl Recording {
        fn with(self, digested: Self) -> Self {
            Self { digests: digested.digests, ..self }
        }
    }

    #[test]
    fn what_varies_is_not_open_where_all_of_it_was_recorded_beside_its_digest() {
        let varying = || sampled(["1", "2"], [1, 2]);
        let others = || sampled(["3", "4"], [3, 4]);
        assert_eq!(open_sites(&varying(), &others()), []);
        assert_eq!(
            open_sites(&sampled(["1", "1"], [1, 1]), &sampled(["3", "3"], [3, 3])),
            [Site::Expression(ExpressionId(1))]
        );
    }

    #[test]
    fn what_was_not_all_recorded_beside_its_digest_stays_open() {
        let varying = sampled(["1", "2"], [1, 2]);
        let mut others = sampled(["3", "4"], [3, 4]);
        others.iter_mut().skip(1).for_each(|run| run.digests.iter_mut().for_each(|digest| digest.count = 2));
        assert_eq!(open_sites(&varying, &others), [Site::Expression(ExpressionId(1))]);
    }

    #[test]
    fn a_recorded_site_is_open_if_it_differs_or_varies() {
        let result = |value| Recorded::default().state(key(0, 3, 1), [property(Part::Result, "", "int", value)]).done();
        assert_eq!(open_sites(&[result("1")], &[result("2")]), [Site::Method(MethodId(3))]);
        assert_eq!(open_sites(&[result("1")], &[result("1")]), []);
        assert_eq!(open_sites(&[result("1"), result("2")], &[result("1"), result("2")]), [Site::Method(MethodId(3))]);
    }
}
