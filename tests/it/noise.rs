//! Noise of every kind: no verdict stands on it, and what is really different in the midst of it is found.

use crate::common::{copy, outcomes, printed};

/// Enough for a property that varies to vary: the chances of the test projects are one in many.
const RUNS: &str = "4";

#[test]
fn no_verdict_stands_on_noise_and_a_difference_in_the_midst_of_it_is_found() {
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
        "Memo.warm/void",
        "Order.shuffle/void",
        "Port.change/void",
        "Stopwatch.stop/void",
        "Threads.restart/void",
    ];
    let varies = ["Amounts.moment/\"A\"", "LoadOrder.numbers/\"\"", "Port.free/0"];
    let different = [
        "Counted.count/void",
        // One run of it leaves the locale to no other.
        "Amounts.moveToBerlin/void",
        "Digest.update/void",
        // Another text in each run, and null in none of them.
        "Amounts.moment/null",
        "LoadOrder.numbers/null",
        "Order.names/null",
        // Its number is noise, its name is not.
        "Threads.pooled/null",
    ];
    let expected =
        [(&nothing_but_noise[..], "no-infection"), (&varies[..], "undecided"), (&different[..], "weak-oracle")];
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
fn noise_is_no_difference_between_the_original_and_itself() {
    let project = copy("noise");
    let output = project.analyze(&["--self-check", "--runs", RUNS]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("Self-check passed"), "{}", printed(&output));
}
