//! Failures beside the tests that enter a method count: those of later tests of a class, of its end,
//! of what comes before its first test, of other classes that use what was set up once or was not cleaned up,
//! and of another execution of surefire.

use crate::common::copy;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The test that catches all changes of a method, or their status.
fn outcomes(report: &Value) -> BTreeMap<&str, String> {
    let mut outcomes: BTreeMap<&str, String> = BTreeMap::new();
    for entry in report["transformations"].as_array().unwrap() {
        let caught = entry["detectedBy"][0].as_str().or(entry["status"].as_str()).unwrap();
        let caught = caught.replace("org.example.", "");
        let known = outcomes.entry(entry["method"].as_str().unwrap()).or_default();
        if !known.split(", ").any(|one| one == caught) {
            known.push_str(if known.is_empty() { "" } else { ", " });
            known.push_str(&caught);
        }
    }
    outcomes
}

#[test]
fn later_tests_the_end_of_a_class_and_other_executions_catch_changes_too() {
    let project = copy("whole-classes");
    let report = project.analyzed(&["--runs", "2"]);
    assert_eq!(report["tests"]["reasons"], json!([]));
    let expected = [
        ("afterAll", "LaterTest.enters()"),
        ("baseClass", "DerivedTest.enters()"),
        ("classRule", "RuleOfClassTest.enters()"),
        // Only a run of all tests shows it.
        ("cleanUp", "FindsCleanTest.nothingIsRegistered()"),
        ("columns", "ColumnsTest.looksAtOneOfTwo()"),
        ("extension", "ExtensionTest.enters()"),
        // JUnit 3 makes it before any test runs. Without it, the class has no tests.
        ("field", "VintageFieldTest.testMadeIsEnough(), undetected"),
        // A parameterised test without invocations fails as a whole.
        ("initialiser", "RowsTest.looksAtOneOfTwo()"),
        ("invocations", "ExtensionTest.takes(int)[1]"),
        ("isFast", "undetected"),
        ("laterTest", "LaterTest.looks()"),
        ("lazy", "ColumnsTest.looksAtOneOfTwo()"),
        ("mode", "ModeTest.mode(), ModeTest.mode() (execution fast-mode)"),
        ("nobody", "undetected"),
        ("outerOfNested", "LaterTest$Inner.looksAtOuter()"),
        // Likewise, for JUnit 4. No parameters are no failure.
        ("parameters", "VintageParametersTest.takes()[0], undetected"),
        ("register", "CleansUpTest.registers()"),
        ("strictStubs", "StrictTest.enters()"),
        ("suite", "SecondOfSuite.looks()"),
    ];
    let outcomes = outcomes(&report);
    assert_eq!(outcomes.iter().map(|(method, by)| (*method, by.as_str())).collect::<Vec<_>>(), expected);

    let again = project.analyzed(&["--runs", "2"]);
    assert_eq!(again, report);
    let patches = std::fs::read_to_string(project.root.join("target/reneri/report.md")).unwrap();
    assert!(patches.contains("it does not pass in every execution of maven-surefire-plugin"), "{patches}");
}
