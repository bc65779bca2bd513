//! What depends on the machine, on the day, or on chance is neither verified nor a verdict.

use crate::common::copy;
use serde_json::Value;
use std::collections::BTreeMap;

/// By method, the reasons why patches for it are drafts; an empty one for a verified patch.
fn doubts(report: &Value) -> BTreeMap<&str, Vec<&str>> {
    let mut doubts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in report["transformations"].as_array().unwrap() {
        let suggestions = entry["suggestions"].as_array().unwrap();
        for patch in suggestions.iter().filter(|suggestion| !suggestion["patch"].is_null()) {
            let because = patch["fix"]["because"].as_str().unwrap_or_default();
            doubts.entry(entry["method"].as_str().unwrap()).or_default().push(because);
        }
    }
    doubts
}

#[test]
fn nothing_that_depends_on_the_machine_or_the_day_is_verified() {
    let project = copy("outside");
    let report = project.analyzed(&["--no-history"]);
    let doubts = doubts(&report);
    let all_are = |method: &str, reason: &str| {
        let reasons = &doubts[method];
        assert!(reasons.iter().all(|because| because.contains(reason)), "{method}: {reasons:?}");
    };
    assert!(doubts["doubled"].iter().all(|because| because.is_empty()), "{doubts:?}");
    all_are("year", "on every day");
    all_are("isHoliday", "on every day");
    all_are("home", "another machine");
    all_are("threads", "another machine");
    all_are("file", "a folder of this machine");
    all_are("title", "Turkish");
    all_are("java", "another machine");
}
