//! Combines the reports of all shards of an analysis into the report of the whole.

use super::identity;
use super::model::{Report, Shard, Summary, Tests};
use crate::base::error::{Error, Result};
use std::path::PathBuf;

/// Combines the shards, which may come in any order.
///
/// # Errors
/// If a shard is missing or given twice, or if they do not belong to the same analysis.
pub fn merge(mut parts: Vec<(PathBuf, Report)>) -> Result<Report> {
    let next = "Give `reneri merge` the report.json of every part of one analysis, each once.";
    let refused = |what: String| Err(Error::usage(what, next));
    if let Some((file, _)) = parts.iter().find(|(_, report)| report.shard.is_none()) {
        return refused(format!("{} is no part of an analysis: it was written without --shard.", file.display()));
    }
    if let Some((file, _)) = parts.iter().find(|(_, report)| report.interrupted.is_some()) {
        return refused(format!("{} is of an analysis that was interrupted.", file.display()));
    }
    parts.sort_by_key(|(_, report)| report.shard);
    let Some(((first_file, first), others)) = parts.split_first() else {
        return refused("There is no report to merge.".to_owned());
    };
    for (file, report) in others {
        if let Some(what) = difference(first, report) {
            return refused(format!("{} and {} differ in {what}.", first_file.display(), file.display()));
        }
    }
    let of = first.shard.map_or(0, |shard| shard.of);
    let numbers: Vec<usize> = parts.iter().filter_map(|(_, report)| report.shard).map(|shard| shard.number).collect();
    if let Some(number) = (1..=of).find(|number| !numbers.contains(number)) {
        return refused(format!("Part {number} of {of} is missing."));
    }
    if let Some(pair) = numbers.windows(2).find(|pair| pair.first() == pair.last()) {
        return refused(format!("Part {} is there twice.", pair.first().copied().unwrap_or_default()));
    }
    let methods = parts.iter().map(|(_, report)| report.summary.methods).sum();
    let stopped = first.summary.stopped;
    let probes = parts.iter().find_map(|(_, report)| report.tests.probes.clone());
    let mut merged = Report { shard: None, baseline: None, transformations: Vec::new(), ..first.clone() };
    merged.tests.probes = probes;
    for (_, part) in parts {
        merged.transformations.extend(part.transformations);
    }
    // Acceptance and baseline apply to the whole report, not to its shards.
    for entry in &mut merged.transformations {
        (entry.accepted, entry.baseline_state) = (None, None);
    }
    identity::fill_in(&mut merged.transformations);
    merged.summary = Summary { methods, stopped, ..Summary::of(&merged.transformations) };
    Ok(merged)
}

/// Names the first thing in which two shards differ although they would agree if they belonged to
/// one analysis.
fn difference(first: &Report, second: &Report) -> Option<&'static str> {
    // A shard without undetected transformations does not instrument its tests.
    let tests = |report: &Report| Tests { probes: None, ..report.tests.clone() };
    let of = |report: &Report| report.shard.map(|Shard { of, .. }| of);
    let differences = [
        (first.tool != second.tool || first.schema_version != second.schema_version, "the version of reneri"),
        (first.project != second.project, "the project"),
        (of(first) != of(second), "the number of parts"),
        (first.settings != second.settings, "the settings"),
        (first.scope != second.scope, "the change that they are restricted to"),
        (tests(first) != tests(second), "the tests that ran, or in those that were left out"),
        (first.summary.stopped != second.summary.stopped, "the methods that a rule leaves out"),
    ];
    differences.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::tests::versioned_set::VersionedSet;

    /// Splits the report into shards with `lengths` transformations each.
    fn parts(whole: &Report, lengths: &[usize]) -> Vec<(PathBuf, Report)> {
        let mut rest = whole.transformations.clone();
        let mut methods = whole.summary.methods;
        let numbered = (1..).zip(lengths);
        numbered
            .map(|(number, length)| {
                let transformations: Vec<_> = rest.drain(..*length).collect();
                // Pretends that all methods are in the first shard.
                let summary = Summary { methods: std::mem::take(&mut methods), ..whole.summary.clone() };
                let shard = Some(Shard { number, of: lengths.len() });
                (format!("{number}.json").into(), Report { shard, transformations, summary, ..whole.clone() })
            })
            .collect()
    }

    fn refusal(parts: Vec<(PathBuf, Report)>) -> String {
        merge(parts).unwrap_err().to_string()
    }

    #[test]
    fn shards_in_any_order_merge_to_the_whole() {
        let whole = VersionedSet::new().report();
        let count = whole.transformations.len();
        let mut parts = parts(&whole, &[1, count - 3, 2]);
        parts.rotate_left(1);
        parts.last_mut().unwrap().1.tests.probes = None;
        parts.first_mut().unwrap().1.transformations[0].accepted = Some("only there".into());
        assert_eq!(merge(parts).unwrap(), whole);
    }

    #[test]
    fn a_report_of_another_analysis_is_refused() {
        let whole = VersionedSet::new().report();
        let two = || parts(&whole, &[1, whole.transformations.len() - 1]);
        assert!(refusal(two().split_off(1)).contains("Part 1 of 2 is missing"));
        let mut twice = two();
        twice.push(twice[1].clone());
        assert!(refusal(twice).contains("Part 2 is there twice"));
        let mut other = two();
        other[1].1.settings.runs += 1;
        assert!(refusal(other).contains("1.json and 2.json differ in the settings"));
        assert!(refusal(vec![("a.json".into(), whole.clone())]).contains("a.json is no part of an analysis"));
        assert!(refusal(Vec::new()).contains("no report"));
    }
}
