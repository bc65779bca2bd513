//! Every decision record is listed, and every reference to one leads to it.

use crate::source::root;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;

const FOLDER: &str = "docs/dev/decisions";

/// Where references may be: code, rules, pages, scripts.
const PLACES: [&str; 9] = ["src", "tests", "rules", "docs", "benches", "benchmarks", "examples", "java", ".ci"];

/// The numbers of the records that a text refers to (`decision 0012`, `decisions/0012-some-title.md`), with the file
/// name if it gives one.
fn references(text: &str) -> Vec<(String, Option<String>)> {
    let number = Regex::new(r"\b[Dd]ecisions? (\d{4})\b|decisions/(\d{4})([a-z0-9-]*\.md)").unwrap();
    number
        .captures_iter(text)
        .map(|found| match found.get(1) {
            Some(number) => (number.as_str().to_owned(), None),
            None => (found[2].to_owned(), Some(format!("{}{}", &found[2], &found[3]))),
        })
        .collect()
}

/// The references of a text that lead nowhere, given the file names of the records.
fn dangling(text: &str, records: &BTreeSet<String>) -> Vec<String> {
    references(text)
        .into_iter()
        .filter(|(number, file)| match file {
            Some(file) => !records.contains(file),
            None => !records.iter().any(|record| record.starts_with(number.as_str())),
        })
        .map(|(number, file)| file.unwrap_or(number))
        .collect()
}

fn records() -> BTreeSet<String> {
    let names = std::fs::read_dir(root().join(FOLDER)).unwrap();
    let mut names: BTreeSet<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.remove("README.md"), "{FOLDER} has no README.md");
    names
}

fn is_text(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, None | Some("rs" | "md" | "toml" | "java" | "txt"))
}

#[test]
fn every_reference_to_a_decision_leads_to_its_record() {
    let records = records();
    let mut wrong = Vec::new();
    let mut seen = 0;
    let folders = PLACES.iter().map(|place| root().join(place)).filter(|place| place.exists());
    let files = folders.flat_map(walkdir::WalkDir::new).map(|entry| entry.unwrap().into_path());
    let own = root().join("tests/structure");
    for file in files.filter(|path| path.is_file() && is_text(path) && !path.starts_with(&own)) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        seen += references(&text).len();
        for reference in dangling(&text, &records) {
            wrong.push(format!("{}: {reference}", file.strip_prefix(root()).unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "no such record in {FOLDER}:\n{}", wrong.join("\n"));
    assert!(seen > 2, "only {seen} references were seen: the test looks at the wrong place");
}

#[test]
fn the_index_lists_every_record_once() {
    let index = std::fs::read_to_string(root().join(FOLDER).join("README.md")).unwrap();
    let name = Regex::new(r"^\d{4}-[a-z0-9-]+\.md$").unwrap();
    let mut numbers = BTreeSet::new();
    for record in records() {
        assert_eq!(index.matches(&format!("({record})")).count(), 1, "{FOLDER}/README.md: {record}");
        assert!(name.is_match(&record), "{record} is no NNNN-title.md");
        assert!(numbers.insert(record[..4].to_owned()), "two records have the number {}", &record[..4]);
    }
}

#[test]
fn every_record_has_a_date_context_decision_and_consequence() {
    for record in records() {
        let text = std::fs::read_to_string(root().join(FOLDER).join(&record)).unwrap();
        for part in ["# ", "\nDate: 20", "\n## Context\n", "\n## Decision\n", "\n## Consequence\n"] {
            assert!(text.contains(part), "{record} lacks {part:?}");
        }
    }
}

#[test]
fn a_reference_without_a_record_is_found() {
    let records = BTreeSet::from(["0001-one-jvm.md".to_owned()]);
    let text = "// See decision 0001 and decision 0002.\n[a](decisions/0001-one-jvm.md) [b](../decisions/0001-two.md)";
    assert_eq!(dangling(text, &records), ["0002", "0001-two.md"]);
}
