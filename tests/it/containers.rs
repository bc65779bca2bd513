//! Mocks and containers: probes do not break them, and their internals do not count as state.
//! (`.ci/self-check` compares the original code of these projects with itself.)

use crate::common::{Copy, copy, outcomes, printed};
use std::collections::BTreeMap;

/// `Class.method/transformation` → symptom, or the status if there is none. Also what was printed.
fn analyzed(name: &str, arguments: &[&str]) -> (BTreeMap<String, String>, String) {
    analyzed_there(&copy(name), arguments)
}

fn analyzed_there(project: &Copy, arguments: &[&str]) -> (BTreeMap<String, String>, String) {
    let output = project.analyze(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let report = project.json();
    assert_eq!(report["tests"]["reasons"], serde_json::json!([]));
    (outcomes(&report), printed(&output))
}

const OTHER_LOADER: &str = "the JVM's own class loader";

fn check(outcomes: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    for (transformation, outcome) in expected {
        let found = outcomes.get(*transformation).map(String::as_str);
        assert_eq!(found, Some(*outcome), "{transformation} in {outcomes:#?}");
    }
}

#[test]
fn mocks_of_mockito_and_easymock_work_with_probes() {
    let project = copy("mocks");
    let (outcomes, said) = analyzed_there(&project, &["--runs", "2", "--no-fix", "--jobs", "1", "--timings"]);
    assert!(!said.contains(OTHER_LOADER), "{said}");
    // A clean start undoes the changes of Mockito's agent, so it does not need a new JVM.
    let timings: serde_json::Value = serde_json::from_str(&project.report("timings.json")).unwrap();
    for stage in timings["stages"].as_array().unwrap() {
        assert!(stage["workers"].as_array().unwrap().len() <= 2, "{stage}");
    }
    let expected = [
        ("Office.greet/true", "detected"),
        ("Office.note/void", "detected"),
        ("Office.broadcast/false", "detected"),
        ("Office.alone/false", "detected"),
        // A call on a mock that no test verifies.
        ("Office.tidy/void", "no-infection"),
        ("Office.failures/1", "no-infection"),
        // Called only on mocks.
        ("Mail.sent/0", "not-covered"),
    ];
    check(&outcomes, &expected);
}

#[test]
fn power_mock_s_class_loader_finds_the_probes_and_does_not_copy_them() {
    let (outcomes, said) = analyzed("powermock", &["--runs", "2", "--no-fix"]);
    // Classes that it does not find as resources come from the class path's loader.
    assert!(said.contains(OTHER_LOADER), "{said}");
    check(
        &outcomes,
        &[("Clock.next/0", "detected"), ("Clock.twice/1", "detected"), ("Clock.unchecked/0", "weak-oracle")],
    );
}

#[test]
fn a_database_a_web_server_and_a_cached_context_cause_no_differences() {
    // With racing threads, a few runs may agree by chance.
    let (outcomes, said) = analyzed("containers", &[]);
    assert!(!said.contains(OTHER_LOADER), "{said}");
    let expected = [
        ("Accounts.deposit/void", "detected"),
        ("Accounts.count/void", "weak-oracle"),
        ("Greeter.handle/void", "detected"),
        ("Greeter.greeting/null", "detected"),
        // Runs in a thread of the server, and changes an object that no test can reach.
        ("Greeter.note/void", "no-propagation"),
        ("Prices.of/1", "detected"),
        ("Prices.remember/void", "weak-oracle"),
        ("Prices$Rate.percent/0", "detected"),
    ];
    check(&outcomes, &expected);
}
