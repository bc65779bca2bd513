//! Values that vary from run to run: no verdict depends on them, and real differences among them are
//! found.

use crate::common::{copy, outcomes, printed};

/// Enough runs for each varying value to vary: in the test projects, equal values in two runs are rare.
const RUNS: &str = "4";

#[test]
fn no_verdict_depends_on_noise_and_real_differences_in_it_are_found() {
    let project = copy("noise");
    let report = project.analyzed(&["--runs", RUNS]);
    assert_eq!(report["tests"]["failing"], serde_json::json!([]));
    assert_eq!(report["tests"]["unstable"], serde_json::json!([]));
    let outcomes = outcomes(&report);
    let nothing_but_noise = [
        "Amounts.refresh/void",
        "Dice.roll/void",
        "Folder.change/void",
        "Generated.renew/void",
        "Identity.renew/void",
        "LazyHash.warm/void",
        "LoadOrder.readAgain/void",
        "Order.shuffle/void",
        "Port.change/void",
        "Stopwatch.stop/void",
        "Threads.restart/void",
    ];
    let different = [
        "Counted.count/void",
        // The locale is reset after each run.
        "Amounts.moveToBerlin/void",
        "Digest.update/void",
        // The text differs in each run, but is never null.
        "Amounts.moment/null",
        "LoadOrder.numbers/null",
        "Order.names/null",
        // The number of the thread is noise, its name is not.
        "Threads.pooled/null",
        // The value is different in each run, but never this one.
        "Amounts.moment/\"A\"",
        "LoadOrder.numbers/\"\"",
        "Port.free/0",
    ];
    // What a cache holds is state, though no test can see it.
    let cache = ["Memo.warm/void"];
    let expected =
        [(&nothing_but_noise[..], "no-infection"), (&cache[..], "no-propagation"), (&different[..], "weak-oracle")];
    for (transformations, outcome) in expected {
        for transformation in transformations {
            assert_eq!(
                outcomes.get(*transformation).map(String::as_str),
                Some(outcome),
                "{transformation} in {outcomes:#?}"
            );
        }
    }
    let transformations = report["transformations"].as_array().unwrap();
    let counted = transformations.iter().find(|entry| entry["method"] == "count").unwrap();
    for evidence in counted["evidence"].as_array().unwrap() {
        assert_eq!(evidence["path"], ".count", "{evidence:#}");
    }
}

#[test]
fn the_self_check_finds_no_difference_in_noise() {
    let project = copy("noise");
    let output = project.analyze(&["--self-check", "--runs", RUNS]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("Self-check passed"), "{}", printed(&output));
}
