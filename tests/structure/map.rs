//! The code map of `docs/dev/architecture.md` names every folder, and nothing that is gone.

use crate::source::{Source, read, root};
use pulldown_cmark::{Event, Parser};
use std::collections::BTreeSet;

const PAGE: &str = "docs/dev/architecture.md";

/// The paths that a page names in code spans: `src/cover/`, `docs/dev/architecture.md`.
fn named_paths(page: &str) -> BTreeSet<String> {
    let top = ["src", "java", "rules", "tests", "docs", "benches", "benchmarks", "examples", "test-projects"];
    let more = ["report-templates", "maven-plugin", "ci", ".ci", ".github", "gradle"];
    let is_path = |span: &str| {
        span.split_once('/').is_some_and(|(first, _)| top.contains(&first) || more.contains(&first))
            && !span.contains(char::is_whitespace)
    };
    Parser::new(page)
        .filter_map(|event| match event {
            Event::Code(span) if is_path(&span) => Some(span.trim_end_matches('/').to_owned()),
            _ => None,
        })
        .collect()
}

/// The folders that hold production code, for example `src/fix/values`.
fn folders(sources: &[Source]) -> BTreeSet<String> {
    let production = sources.iter().filter(|source| source.production);
    production.filter_map(|source| source.path.rsplit_once('/')).map(|(folder, _)| folder.to_owned()).collect()
}

/// The folders that a page does not name.
fn missing(folders: &BTreeSet<String>, named: &BTreeSet<String>) -> Vec<String> {
    folders.iter().filter(|folder| *folder != "src" && !named.contains(*folder)).cloned().collect()
}

#[test]
fn the_map_names_every_folder_and_nothing_that_is_gone() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let named = named_paths(&page);
    let mut folders = folders(&read(&["src"]));
    if let Ok(projects) = std::fs::read_dir(root().join("java")) {
        let projects = projects.map(Result::unwrap).filter(|entry| entry.path().join("pom.xml").exists());
        folders.extend(projects.map(|entry| format!("java/{}", entry.file_name().into_string().unwrap())));
    }
    let missing = missing(&folders, &named);
    assert!(missing.is_empty(), "{PAGE} does not name:\n{}", missing.join("\n"));
    let gone: Vec<&String> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(gone.is_empty(), "{PAGE} names what is gone: {gone:?}");
}

#[test]
fn paths_are_seen_in_code_spans_only() {
    let page = "`src/cover/` uses `cover::Coverage` of `src/cover/coverage.rs`, not src/gone/; run `cargo test a/b`.";
    let named = named_paths(page);
    assert_eq!(named.iter().collect::<Vec<_>>(), ["src/cover", "src/cover/coverage.rs"]);
}

#[test]
fn a_folder_that_the_map_does_not_name_is_found() {
    let sources = crate::source::parse([
        ("src/lib.rs", "mod a;"),
        ("src/a/mod.rs", "mod b; #[cfg(test)] mod tests;"),
        ("src/a/b/c.rs", ""),
        ("src/a/tests/mod.rs", ""),
    ]);
    let named = BTreeSet::from(["src/a".to_owned()]);
    assert_eq!(missing(&folders(&sources), &named), ["src/a/b"]);
}
