//! Tests that behave badly, and tests that need a certain class loader. No test affects the results of
//! another one.

use crate::common::{copy, outcomes, printed};
use std::collections::BTreeMap;
use std::path::Path;

/// The quarantined tests, with their reasons.
fn left_out(report: &serde_json::Value) -> BTreeMap<&str, &str> {
    let reasons = report["tests"]["reasons"].as_array().unwrap();
    reasons.iter().map(|entry| (entry["test"].as_str().unwrap(), entry["reason"].as_str().unwrap())).collect()
}

#[test]
fn rude_tests_are_quarantined_one_by_one_and_transformed_code_may_be_rude_too() {
    let project = copy("rude");
    let temporary = tempfile::tempdir().unwrap();
    let output = project.command(&["--runs", "2"]).env("TMPDIR", temporary.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let report = project.json();

    let left_behind = std::fs::read_to_string(project.root.join("target/left-behind.txt")).unwrap();
    assert!(Path::new(&left_behind).starts_with(temporary.path()), "{left_behind}");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "the analysis deletes temporary files");

    // Only these four: whatever they print, close, change or leave behind, the other sixteen pass.
    let expected = [
        ("org.example.EndsTest.exits()", "it ends the JVM (System.exit or Runtime.halt, status 3)"),
        ("org.example.EndsTest.fails()", "org.opentest4j.AssertionFailedError: it always does"),
        (
            "org.example.EndsTest.failsEveryThirdTime()",
            "fails sometimes: org.opentest4j.AssertionFailedError: this time",
        ),
        ("org.example.EndsTest.halts()", "it ends the JVM (System.exit or Runtime.halt, status 4)"),
    ];
    assert_eq!(left_out(&report), BTreeMap::from(expected));
    assert_eq!(report["tests"]["total"], 20);
    let evidence = |entry: &&serde_json::Value| entry["status"] != "quarantined";
    for entry in report["transformations"].as_array().unwrap().iter().filter(evidence) {
        for key in ["coveringTests", "detectedBy"] {
            for test in entry[key].as_array().into_iter().flatten() {
                assert!(!expected.iter().any(|(name, _)| *name == test.as_str().unwrap()), "{entry:#}");
            }
        }
    }

    let outcomes = outcomes(&report);
    let expected = [
        // An endless loop, and a wait for an event that never comes.
        ("Fragile.isOver/false", "timed-out"),
        ("Fragile.open/void", "timed-out"),
        // A stack overflow, exhausted memory, and the end of the JVM.
        ("Fragile.isLeaf/false", "detected"),
        ("Fragile.isFull/false", "detected"),
        ("Fragile.isWelcome/false", "detected"),
        ("Fragile.isWelcome/true", "no-infection"),
        // Covered by a test that leaves a spinning thread in each run, and by tests that need another test
        // to run first.
        ("Reached.bySpinners/0", "detected"),
        ("Reached.byAll/1", "detected"),
    ];
    for (transformation, outcome) in expected {
        let found = outcomes.get(transformation).map(String::as_str);
        assert_eq!(found, Some(outcome), "{transformation} in {outcomes:#?}");
    }
    // Only quarantined tests cover these, one of which ends the JVM. That differs from "not covered".
    for transformation in ["Reached.byTheTestThatExits/0", "Reached.byTheTestThatFails/0"] {
        assert_eq!(outcomes[transformation], "quarantined", "{outcomes:#?}");
    }
}

#[test]
fn memory_that_tests_hold_is_freed_with_their_class_loader() {
    let project = copy("hoard");
    let report = project.analyzed(&["--runs", "2", "--jobs", "1", "--timings", "--no-fix"]);
    assert_eq!(left_out(&report), BTreeMap::new());
    assert_eq!(report["summary"]["undetected"], 6, "{:#}", report["summary"]);
    assert_eq!(outcomes(&report)["Ledger.second/0"], "weak-oracle");
    // Called in a lambda expression. Its class has another name in each JVM, and no frame in a stack.
    assert_eq!(outcomes(&report)["Ledger.first/0"], "weak-oracle");
    // Each of six verdicts needs a clean start. The JVM cannot hold two copies of the hoarded memory: it
    // would die, and a second worker would replace it.
    let timings: serde_json::Value = serde_json::from_str(&project.report("timings.json")).unwrap();
    let stages = timings["stages"].as_array().unwrap();
    let verdicts = stages.iter().find(|stage| stage["name"].as_str().unwrap().starts_with("Transforming")).unwrap();
    assert_eq!(verdicts["workers"].as_array().unwrap().len(), 1, "{verdicts:#}");
}

#[test]
fn tests_that_need_the_jvm_s_own_class_loader_get_it() {
    let project = copy("application-loader");
    let output = project.analyze(&["--runs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("need the JVM's own class loader"), "{}", printed(&output));
    let report = project.json();
    assert_eq!(left_out(&report), BTreeMap::new());
    let outcomes = outcomes(&report);
    assert_eq!(outcomes["Plugins.byName/null"], "detected", "{outcomes:#?}");
    assert_eq!(outcomes["Counting.count/void"], "no-propagation", "{outcomes:#?}");
    // Each clean start is a new JVM here: identity hash codes must not be the same in all of them.
    assert_eq!(outcomes["Tickets.drawAgain/void"], "no-infection", "{outcomes:#?}");
    assert_eq!(outcomes["Tickets.shuffle/void"], "no-infection", "{outcomes:#?}");
    assert!(project.report("reneri.log").contains("Tests in the JVM's own class loader: 5 of 5 pass"));
}

#[test]
fn tests_of_a_named_module_run_in_it() {
    let project = copy("named-module");
    let output = project.analyze(&["--runs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("as a module"), "{}", printed(&output));
    let report = project.json();
    assert_eq!(left_out(&report), BTreeMap::new());
    assert_eq!(outcomes(&report)["Names.capital/null"], "weak-oracle");
}
