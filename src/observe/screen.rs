//! From the first runs of both sides to what can still differ, test by test and site by site: nothing else needs to be run again.
//!
//! A difference counts only if it is constant over all runs of either side. So what one run of the original and one of the transformed code
//! have in common, no number of further runs can turn into a difference.

use super::difference::varying;
use super::{Observed, Recording, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Test and site.
pub(super) type Open = BTreeSet<(u32, Site)>;

/// Where a difference that is constant may be: what was digested differently in every pair of runs, and what was recorded and is not the same
/// in all of them. Empty: there is none, however often the runs are repeated.
pub(super) fn open(first: &Observed) -> Open {
    let mut open: Open = open_digests(first).into_iter().map(|(test, site, ..)| (test, site)).collect();
    open.extend(varying(first));
    open
}

/// Sites of which the first observations in some test and thread are the same, and only later ones can differ.
pub(super) fn open_late_only(first: &Observed) -> BTreeSet<Site> {
    let open = open_digests(first);
    let is_open_early = |(test, site, thread, _): &Digested<'_>| open.contains(&(*test, *site, *thread, false));
    open.iter().filter(|digested| digested.3 && !is_open_early(digested)).map(|(_, site, ..)| *site).collect()
}

fn open_digests(first: &Observed) -> BTreeSet<Digested<'_>> {
    let (original, transformed) = (digests(&first.original), digests(&first.transformed));
    let mut open: BTreeSet<Digested<'_>> = original.keys().chain(transformed.keys()).copied().collect();
    open.retain(|key| {
        let original = by_run(original.get(key), first.original.len());
        let transformed = by_run(transformed.get(key), first.transformed.len());
        !original.iter().any(|digests| transformed.contains(digests))
    });
    open
}

/// Test, site, thread, and whether it is the digest of late observations.
type Digested<'r> = (u32, Site, &'r str, bool);
/// By run: counts and hashes.
type Side<'r> = BTreeMap<Digested<'r>, Seen>;
type Seen = BTreeMap<usize, Vec<(u32, u64)>>;

/// A run that has nothing of the site agrees with one on the other side that has nothing, either.
fn by_run(seen: Option<&Seen>, runs: usize) -> Vec<Vec<(u32, u64)>> {
    let mut by_run: Vec<_> = seen.map(|seen| seen.values().cloned().collect()).unwrap_or_default();
    by_run.resize(runs, Vec::new());
    by_run
}

fn digests(runs: &[Arc<Recording>]) -> Side<'_> {
    let mut side: Side<'_> = BTreeMap::new();
    for (run, recording) in runs.iter().enumerate() {
        for digest in &recording.digests {
            let of_key = side.entry((digest.test, digest.site, digest.thread.as_str(), digest.late)).or_default();
            of_key.entry(run).or_default().push((digest.count, digest.hash));
        }
    }
    side
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{Recorded, key, property, sides};
    use super::*;
    use crate::observation::{Digest, Part};

    fn digested(hashes: &[(u32, u64)]) -> Recording {
        let digest = |(expression, hash): &(u32, u64)| Digest {
            test: 0,
            site: Site::Expression(*expression),
            thread: String::new(),
            late: false,
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
        assert_eq!(open_sites(&original, &transformed), [Site::Expression(1)]);
    }

    #[test]
    fn a_site_that_only_one_side_reaches_is_open() {
        assert_eq!(open_sites(&[digested(&[(1, 7)])], &[digested(&[])]), [Site::Expression(1)]);
        assert_eq!(open_sites(&[digested(&[(1, 7)]), digested(&[])], &[digested(&[]), digested(&[])]), []);
    }

    #[test]
    fn a_site_is_open_late_only_if_its_first_observations_agree() {
        let run = |early: u64, late: u64| {
            let mut run = digested(&[(1, early), (1, late)]);
            run.digests.iter_mut().skip(1).for_each(|digest| digest.late = true);
            run
        };
        let late_only = |original, transformed| open_late_only(&sides(vec![original], vec![transformed]));
        assert_eq!(late_only(run(7, 7), run(7, 8)), BTreeSet::from([Site::Expression(1)]));
        assert_eq!(open_sites(&[run(7, 7)], &[run(7, 8)]), [Site::Expression(1)]);
        assert_eq!(late_only(run(7, 7), run(8, 8)), BTreeSet::new());
        assert_eq!(late_only(run(7, 7), run(7, 7)), BTreeSet::new());
        assert_eq!(late_only(digested(&[(1, 7)]), run(7, 8)), BTreeSet::from([Site::Expression(1)]));
    }

    #[test]
    fn a_run_of_which_nothing_is_known_closes_no_site() {
        assert_eq!(open_sites(&[digested(&[(1, 7)])], &[Recording::default()]), [Site::Expression(1)]);
    }

    #[test]
    fn a_recorded_site_is_open_if_it_differs_or_varies() {
        let result = |value| Recorded::default().state(key(0, 3, 1), [property(Part::Result, "", "int", value)]).done();
        assert_eq!(open_sites(&[result("1")], &[result("2")]), [Site::Method(3)]);
        assert_eq!(open_sites(&[result("1")], &[result("1")]), []);
        assert_eq!(open_sites(&[result("1"), result("2")], &[result("1"), result("2")]), [Site::Method(3)]);
    }
}
