//! Files that earlier runs of tests left behind hide no failure.

use crate::common::copy;
use std::collections::BTreeMap;

#[test]
fn a_file_of_an_earlier_run_hides_no_failure_and_no_patch_depends_on_one() {
    let project = copy("left-files");
    // `mvn test` leaves these files.
    std::fs::create_dir_all(project.root.join("target")).unwrap();
    for left in ["target/saved.txt", "target/lock", "mark.txt"] {
        std::fs::write(project.root.join(left), "saved").unwrap();
    }
    let report = project.analyzed(&["--no-history"]);
    let entries = report["transformations"].as_array().unwrap();
    let mut outcomes: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in entries {
        let caught = entry["detectedBy"][0].as_str().or(entry["status"].as_str()).unwrap();
        outcomes.insert(entry["method"].as_str().unwrap(), caught.trim_start_matches("org.example.StoreTest."));
    }
    let expected = [
        ("list", "listsTemporarily()"),
        ("mark", "marksTheProject()"),
        ("remove", "removes()"),
        ("save", "savesBelowTarget()"),
        ("start", "undetected"),
    ];
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), expected);
    let verified = entries.iter().flat_map(|entry| entry["suggestions"].as_array().unwrap());
    let verified: Vec<&str> = verified
        .filter(|suggestion| suggestion["trust"] == "verified")
        .filter_map(|suggestion| suggestion["patch"].as_str())
        .collect();
    assert!(verified.iter().all(|patch| !patch.contains("(isFirst)")), "{verified:?}");
    // The project's own files are where they were, and nothing else is there but what its tests make.
    let list = std::fs::read_to_string(project.root.join("docs/list.md")).unwrap();
    assert_eq!(list, "* a\n* b\n");
    assert!(project.root.join("target/lock").exists() && project.root.join("mark.txt").exists());
}
