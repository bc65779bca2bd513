//! Tests that fail if another JVM runs them at the same time: an analysis with two jobs finds the same as
//! one with one job, and says why it continues with one.

use crate::common::{copy, outcomes, printed};
use std::collections::BTreeMap;

#[test]
fn tests_that_compete_for_a_resource_run_in_one_jvm() {
    let project = copy("competing");
    let analyzed = |jobs: &str| {
        let output = project.analyze(&["--runs", "2", "--jobs", jobs, "--no-fix", "--no-history"]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let report = project.json();
        assert_eq!(report["tests"]["reasons"].as_array().map(Vec::len), Some(0), "no test is quarantined");
        (outcomes(&report), project.report("report.md"), printed(&output))
    };
    let (found, report, said) = analyzed("2");
    let expected = [("Desk.leave/void", "weak-oracle"), ("Desk.visit/0", "detected"), ("Desk.visit/1", "weak-oracle")];
    let expected = expected.map(|(transformation, outcome)| (transformation.to_owned(), outcome.to_owned()));
    assert_eq!(found, BTreeMap::from(expected), "{said}");
    let why = "org.example.DeskTest.leaves() and another test pass alone, but not while another JVM runs the same";
    assert!(said.contains(why), "{said}");

    let (_, of_one_job, said) = analyzed("1");
    assert_eq!(of_one_job, report, "{said}");
    assert!(!said.contains("warning"), "{said}");
}
