//! Tests that take far longer than what is like them: what they say counts, they run no more often than that takes, and what only one run of them says
//! is not taken for the truth.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{copy, outcomes, printed};

#[test]
fn slow_tests_run_where_nothing_else_says_as_much() {
    let project = copy("slow-tests");
    let runs = tempfile::tempdir().unwrap();
    let arguments = ["--runs", "2", "--jobs", "2", "--no-history"];
    let output = project.command(&arguments).env("SLOW_TESTS_RUNS", runs.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let report = project.json();
    let outcomes = outcomes(&report);
    let expected = [
        // By a slow test alone.
        ("Work.total/0", "detected"),
        ("Work.total/1", "detected"),
        ("Work.label/null", "weak-oracle"),
        ("Work.hidden/0", "weak-oracle"),
        ("Work.hidden/1", "weak-oracle"),
        ("Work.run/0", "detected"),
        // One of these met the run in which a slow test fails.
        ("Work.isDone/true", "weak-oracle"),
        ("Work.isDone/false", "no-infection"),
    ];
    for (transformation, outcome) in expected {
        let found = outcomes.get(transformation).map(String::as_str);
        assert_eq!(found, Some(outcome), "{transformation} in {outcomes:#?}");
    }
    let times = |name: &str| std::fs::read_to_string(runs.path().join(name)).unwrap().lines().count();
    // To see what it reaches, and for each of three verdicts: a quick test shows the difference, and gives the patch. Then once
    // with all patches of its class: the reversed order leaves it out.
    assert_eq!(times("labels"), 5);
    assert!(times("fails") > 4, "it noticed something, and had to do so again");
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
