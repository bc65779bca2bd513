//! Tests that take far longer than similar ones: their results count, they run only as often as
//! necessary, and a result of a single run is confirmed by another one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{copy, outcomes, printed};

#[test]
fn slow_tests_run_only_if_no_quick_test_decides() {
    let project = copy("slow-tests");
    let runs = tempfile::tempdir().unwrap();
    let arguments = ["--runs", "2", "--jobs", "2", "--no-history"];
    let output = project.command(&arguments).env("SLOW_TESTS_RUNS", runs.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let report = project.json();
    let outcomes = outcomes(&report);
    let expected = [
        // Only a slow test detects it.
        ("Work.total/0", "detected"),
        ("Work.total/1", "detected"),
        ("Work.label/null", "weak-oracle"),
        ("Work.hidden/0", "weak-oracle"),
        ("Work.hidden/1", "weak-oracle"),
        ("Work.run/0", "detected"),
        // A slow test fails in one run, which is a run of one of these.
        ("Work.isDone/true", "weak-oracle"),
        ("Work.isDone/false", "no-infection"),
    ];
    for (transformation, outcome) in expected {
        let found = outcomes.get(transformation).map(String::as_str);
        assert_eq!(found, Some(outcome), "{transformation} in {outcomes:#?}");
    }
    let times = |name: &str| std::fs::read_to_string(runs.path().join(name)).unwrap().lines().count();
    // One run for the coverage, one for each of the nine verdicts that whole classes settle, and up to
    // three for a slow test that fails in one run. Two of the tests write files, so in the clean copy
    // there is one run for the original and one for each of the five undetected transformations that
    // these two reach. Observations and patches need none.
    let labels = times("labels");
    assert!((16..=19).contains(&labels), "{labels}");
    assert!(times("fails") > 4, "its failure was confirmed by another run");
    let evidence = |method: &str| {
        let entries = report["transformations"].as_array().unwrap().iter();
        let of_method = entries.filter(|entry| entry["method"] == method);
        let tests = of_method.flat_map(|entry| entry["evidence"].as_array().unwrap().clone());
        tests.map(|evidence| evidence["test"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for entry in report["transformations"].as_array().unwrap().iter().filter(|entry| entry["status"] == "undetected") {
        assert_eq!(entry["suggestions"][0]["trust"], "verified", "{entry:#}");
    }
    assert!(evidence("label").iter().all(|test| test == "org.example.WorkTest.labels()"));
    assert!(evidence("hidden").iter().any(|test| test == "org.example.WorkTest.slowlyTotals()"));
}
