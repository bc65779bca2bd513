//! Objects that are hard to read: reneri finds each difference without calling a method of the observed
//! objects, and reports no noise.

use crate::common::{copy, outcomes};

#[test]
fn cycles_huge_collections_proxies_and_records_are_read_without_calling_their_methods() {
    let project = copy("state");
    let report = project.analyzed(&["--runs", "2"]);
    // Method, symptom, and the difference: part, path, original value, value with an empty body.
    let expected = [
        ("Ring.mark", "no-propagation", "argument 0", ".marks", "5", "0"),
        ("Chain.pull", "no-propagation", "receiver", ".pulls", "1", "0"),
        ("Heap.fill", "no-propagation", "argument 0", ".size", "100000", "0"),
        ("Lazy.keep", "no-propagation", "receiver", ".kept", "1", "0"),
        // A record in a field.
        ("Pen.move", "no-propagation", "receiver", ".at.x", "2", "1"),
        ("Light.change", "no-propagation", "receiver", ".color", "Light.Color.GREEN", "Light.Color.RED"),
        (
            "Canvas.square",
            "no-propagation",
            "receiver",
            ".shape",
            "non-null (org.example.Canvas$Square)",
            "non-null (org.example.Canvas$Circle)",
        ),
        ("Action.lambda$new$0", "no-propagation", "receiver", ".done", "3", "0"),
        ("Angry.tease", "no-propagation", "receiver", ".teased", "1", "0"),
        ("Counting.note", "weak-oracle", "receiver", ".notes", "1", "0"),
    ];
    let outcomes = outcomes(&report);
    for (method, symptom, part, path, original, transformed) in expected {
        assert_eq!(
            outcomes.get(&format!("{method}/void")).map(String::as_str),
            Some(symptom),
            "{method} in {outcomes:#?}"
        );
        let entries = report["transformations"].as_array().unwrap();
        let (class, name) = method.split_once('.').unwrap();
        let entry = entries
            .iter()
            .find(|entry| entry["method"] == name && entry["class"] == format!("org.example.{class}"))
            .unwrap();
        let evidence = entry["evidence"].as_array().unwrap();
        assert!(
            evidence.iter().any(|evidence| evidence["at"] == "method"
                && evidence["part"] == part
                && evidence["path"] == path
                && evidence["original"] == original
                && evidence["transformed"] == transformed),
            "{method}: {evidence:#?}"
        );
    }
    // The study compared enum constants by name; their fields are state.
    for constant in ["0", "1"] {
        let mut entries = report["transformations"].as_array().unwrap().iter();
        let price = entries.find(|entry| entry["method"] == "price" && entry["transformation"] == constant).unwrap();
        assert_eq!((&price["symptom"], &price["studySymptom"]), (&"weak-oracle".into(), &"no-propagation".into()));
        let evidence = price["evidence"].as_array().unwrap();
        assert!(
            evidence.iter().any(|evidence| evidence["at"] == "test"
                && evidence["expression"] == "Tariff.valueOf(\"BASIC\")"
                && evidence["path"] == ".cents"
                && evidence["original"] == "500"
                && evidence["transformed"] == constant
                && evidence["deep"] == true),
            "{evidence:#?}"
        );
    }
    // Only whether a thread pool is present counts, not its state.
    assert_eq!(outcomes.get("Crew.work/void").map(String::as_str), Some("no-infection"), "{outcomes:#?}");
    let crew = report["transformations"].as_array().unwrap().iter().find(|entry| entry["class"] == "org.example.Crew");
    assert!(!crew.unwrap()["evidence"].to_string().contains(".pool"), "{crew:#?}");
    // What a bound hides is named.
    assert_eq!(outcomes.get("Store.close/void").map(String::as_str), Some("no-infection"), "{outcomes:#?}");
    let store =
        report["transformations"].as_array().unwrap().iter().find(|entry| entry["class"] == "org.example.Store");
    let expected = serde_json::json!(["boolean[]", "java.util.Hashtable", "java.util.concurrent.LinkedBlockingQueue"]);
    assert_eq!(store.unwrap()["notSeen"], expected, "{store:#?}");
}
