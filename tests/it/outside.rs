//! Nothing that depends on the machine, on the day, or on chance is verified, or decides a verdict.

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
fn nothing_that_depends_on_the_machine_the_day_or_chance_is_verified_or_a_verdict() {
    let project = copy("outside");
    let report = project.analyzed(&["--no-history"]);
    caught_by_chance(&report, &project.report("report.md"));
    let doubts = doubts(&report);
    let all_are = |method: &str, reason: &str| {
        let reasons = &doubts[method];
        assert!(reasons.iter().all(|because| because.contains(reason)), "{method}: {reasons:?}");
    };
    assert!(doubts["doubled"].iter().all(|because| because.is_empty()), "{doubts:?}");
    assert!(doubts["check"].iter().all(|because| because.is_empty()), "{doubts:?}");
    assert!(
        !project.report("report.md").contains("+        assertEquals(\"Invalid value"),
        "a message of the JDK is asserted"
    );
    all_are("year", "on every day");
    all_are("isHoliday", "on every day");
    all_are("home", "another machine");
    all_are("threads", "another machine");
    all_are("file", "a folder of this machine");
    all_are("title", "Turkish");
    all_are("java", "another machine");
}

/// A test that draws a telling number in a quarter of its runs detects nothing, and the report says
/// what to write. One that draws telling numbers only detects.
fn caught_by_chance(report: &Value, markdown: &str) {
    let entry = |method: &str| {
        let mut entries = report["transformations"].as_array().unwrap().iter();
        entries.find(|entry| entry["method"] == method && entry["transformation"] == "false").unwrap()
    };
    let by_chance = ["isLow", "isHigh", "isEven"].map(entry);
    let sometimes = by_chance.iter().filter(|entry| !entry["sometimesDetectedBy"].is_null()).count();
    assert!(by_chance.iter().all(|entry| entry["status"] == "undetected"), "{by_chance:?}");
    assert!(sometimes >= 2, "with ten seeds, a test that notices in a quarter of its runs notices: {by_chance:?}");
    assert!(markdown.contains("aught in some runs only"), "{markdown}");
    assert_eq!(entry("isSix")["status"], "detected");
}
