//! The formats for CI services are valid by the schemas of their makers, have the same bytes each
//! time, and contain nothing that is taken for a command.

use super::nasty::{NASTY, large_report, with_every_text};
use super::schemas::schema_errors;
use super::versioned_set::VersionedSet;
use crate::report::elements::elements;
use crate::report::files::Files;
use crate::report::github::github;
use crate::report::gitlab::gitlab;
use crate::report::html::html;
use crate::report::model::Status;
use crate::report::sarif::sarif;
use crate::report::{Format, Report, write};
use clap::ValueEnum;
use serde_json::Value;
use std::collections::BTreeSet;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn each_format_describes_versioned_set_like_the_report() {
    let project = VersionedSet::new();
    let report = project.report();
    let files = Files::new(&report, &project.sources);
    insta::assert_snapshot!("report.sarif", sarif(&report, &files).unwrap());
    insta::assert_snapshot!("annotations", github(&report, &files));
    insta::assert_snapshot!("gl-code-quality.json", gitlab(&report, &files).unwrap());
    insta::assert_snapshot!("mutation-report.json", elements(&report, &files).unwrap());
    insta::assert_snapshot!("report.html", html(&report).unwrap());
}

#[test]
fn a_page_contains_only_its_own_tags_and_loads_nothing() {
    let (_project, report) = large_report();
    let page = |report: &Report| html(report).unwrap();
    let plain = page(&with_every_text(&report, "plain text"));
    // A value that is Java source is shown as code, other values as words.
    let brackets = |page: &str| {
        let page = page.replace("<code>", "").replace("</code>", "");
        (page.matches('<').count(), page.matches('>').count())
    };
    for nasty in NASTY.iter().chain(&["\" onload=\"alert(1)", "</title>", "]]>-->"]) {
        let page = page(&with_every_text(&report, nasty));
        assert_eq!(brackets(&page), brackets(&plain), "{nasty:?} in\n{page}");
        // Of all attributes, only the description of a picture contains text of the project.
        for value in page.split("role=\"img\" aria-label=\"").skip(1).filter_map(|rest| rest.split('>').next()) {
            assert_eq!(value.matches('"').count(), 1, "{value}");
        }
    }
    for loading in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!plain.contains(loading), "{loading}");
    }
}

#[test]
fn sarif_follows_its_schema_with_any_text_of_a_project() {
    let (project, report) = large_report();
    let valid = |report: &Report| {
        let log = parsed(&sarif(report, &Files::new(report, &project.sources)).unwrap());
        assert_eq!(schema_errors("sarif-2.1.0.json", &log), Vec::<String>::new());
        log
    };
    let log = valid(&report);
    assert!(log["runs"][0]["results"].as_array().unwrap().len() > 7);
    for nasty in NASTY {
        valid(&with_every_text(&report, nasty));
    }
    valid(&Report { transformations: vec![], ..report });
    let mut broken = log;
    broken["runs"][0]["results"][0]["level"] = "bad".into();
    assert_ne!(schema_errors("sarif-2.1.0.json", &broken), Vec::<String>::new(), "the schema is looked at");
}

#[test]
fn elements_follow_their_schema_with_any_text_of_a_project() {
    let (project, report) = large_report();
    let valid = |report: &Report| {
        let result = parsed(&elements(report, &Files::new(report, &project.sources)).unwrap());
        assert_eq!(schema_errors("mutation-testing-report.json", &result), Vec::<String>::new());
        result
    };
    let mut broken = valid(&report);
    for nasty in NASTY {
        valid(&with_every_text(&report, nasty));
    }
    broken["files"]["src/main/java/org/example/VersionedSet.java"]["mutants"][0]["status"] = "Gone".into();
    assert_ne!(schema_errors("mutation-testing-report.json", &broken), Vec::<String>::new(), "the schema is looked at");
}

#[test]
fn elements_have_the_counts_of_the_report_and_every_test() {
    let project = VersionedSet::new();
    let mut report = project.report();
    report.transformations[0].status = Status::Quarantined;
    report.transformations[1].status = Status::FailedToRun;
    let result = parsed(&elements(&report, &Files::new(&report, &project.sources)).unwrap());
    let mutants = result["files"]["src/main/java/org/example/VersionedSet.java"]["mutants"].as_array().unwrap();
    let count = |status: &str| mutants.iter().filter(|mutant| mutant["status"] == status).count();
    let statuses = ["Killed", "Survived", "Timeout", "NoCoverage", "Ignored", "RuntimeError"];
    assert_eq!(statuses.map(count), [2, 4, 1, 1, 1, 1]);
    let tests = result["testFiles"]["src/test/java/org/example/VersionedSetTest.java"]["tests"].as_array().unwrap();
    let known: BTreeSet<&str> = tests.iter().map(|test| test["id"].as_str().unwrap()).collect();
    for mutant in mutants {
        for test in ["coveredBy", "killedBy"].iter().flat_map(|key| mutant[key].as_array().unwrap()) {
            assert!(known.contains(test.as_str().unwrap()), "{test}");
        }
    }
    assert_eq!(mutants.iter().map(|mutant| mutant["id"].as_str().unwrap()).collect::<BTreeSet<_>>().len(), 10);
}

#[test]
fn a_method_without_a_known_body_is_shown_by_its_line() {
    let project = VersionedSet::new();
    let mut report = project.report();
    report.transformations[0].method = "lambda$add$0".into();
    let result = parsed(&elements(&report, &Files::new(&report, &project.sources)).unwrap());
    let mutants = &result["files"]["src/main/java/org/example/VersionedSet.java"]["mutants"];
    let at = |line: u32, column: u32| serde_json::json!({ "line": line, "column": column });
    assert_eq!(mutants[0]["location"], serde_json::json!({ "start": at(12, 9), "end": at(12, 36) }));
    assert_eq!(mutants[0].get("replacement"), None);
    assert_eq!(mutants[1]["location"], serde_json::json!({ "start": at(11, 37), "end": at(18, 6) }));
    assert_eq!(mutants[1]["replacement"], "{ return false; }");
}

#[test]
fn the_sarif_code_flow_leads_from_test_to_method_to_the_visible_difference() {
    let project = VersionedSet::new();
    let report = project.report();
    let log = parsed(&sarif(&report, &Files::new(&report, &project.sources)).unwrap());
    let result = &log["runs"][0]["results"][3];
    assert_eq!(result["ruleId"], "weak-oracle");
    let places: Vec<(&str, u64)> = result["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["location"]["physicalLocation"])
        .map(|place| {
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            (uri.rsplit('/').next().unwrap(), place["region"]["startLine"].as_u64().unwrap())
        })
        .collect();
    let expected = [
        ("VersionedSetTest.java", 12),
        ("VersionedSet.java", 16),
        ("VersionedSet.java", 45),
        ("VersionedSetTest.java", 13),
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_call_in_foreign_code_is_no_step_of_a_code_flow() {
    let project = VersionedSet::new();
    let mut report = project.report();
    let entry = report.transformations.iter_mut().find(|entry| !entry.evidence.is_empty()).unwrap();
    entry.evidence[0].stack.insert(1, "java.util.ArrayList.forEach(ArrayList.java:1596)".into());
    let text = sarif(&report, &Files::new(&report, &project.sources)).unwrap();
    assert!(!text.contains("ArrayList"), "{text}");
}

#[test]
fn fingerprints_are_unique_and_independent_of_lines() {
    let (project, report) = large_report();
    let fingerprints = |report: &Report| -> Vec<String> {
        let files = Files::new(report, &project.sources);
        let log = parsed(&sarif(report, &files).unwrap());
        let issues = parsed(&gitlab(report, &files).unwrap());
        let of_sarif = log["runs"][0]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["partialFingerprints"]["reneriTransformation/v1"].as_str().unwrap().to_owned());
        let of_gitlab =
            issues.as_array().unwrap().iter().map(|issue| issue["fingerprint"].as_str().unwrap().to_owned());
        assert!(of_gitlab.eq(of_sarif.clone()));
        of_sarif.collect()
    };
    let before = fingerprints(&report);
    let mut moved = report.clone();
    for entry in &mut moved.transformations {
        entry.line = entry.line.map(|line| line + 100);
    }
    assert_eq!(fingerprints(&moved), before);
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), before.len());
}

#[test]
fn an_annotation_is_one_line_with_any_text_of_a_project() {
    let (project, report) = large_report();
    for nasty in NASTY.iter().chain(&["a\n::stop-commands::x", "%0A::error::x", "a,line=9::b"]) {
        let report = with_every_text(&report, nasty);
        let text = github(&report, &Files::new(&report, &project.sources));
        assert_eq!(text.lines().count(), 11, "{text}");
        for line in text.lines() {
            let (head, _) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
            let (command, properties) = head.split_once(' ').unwrap();
            assert!(matches!(command, "warning" | "notice"), "{line}");
            let names: Vec<&str> = properties.split(',').map(|one| one.split('=').next().unwrap()).collect();
            assert!(names == ["file", "line", "title"] || names == ["title"], "{line}");
        }
    }
}

#[test]
fn annotations_stop_at_githubs_limit_and_count_the_rest() {
    let (project, report) = large_report();
    let text = github(&report, &Files::new(&report, &project.sources));
    let findings = text.lines().filter(|line| line.contains("file=")).count();
    assert_eq!(findings, 10);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("::notice title=reneri::") && last.ends_with("more findings in report.md."), "{last}");
}

#[test]
fn a_finding_without_a_source_has_no_place() {
    let project = VersionedSet::new();
    let mut report = project.report();
    for entry in &mut report.transformations {
        (entry.file, entry.line) = (None, None);
    }
    let files = Files::new(&report, &project.sources);
    assert!(github(&report, &files).lines().all(|line| line.starts_with("::warning title=")));
    assert_eq!(parsed(&gitlab(&report, &files).unwrap()), Value::Array(vec![]));
    let log = parsed(&sarif(&report, &files).unwrap());
    assert_eq!(log["runs"][0]["results"], Value::Array(vec![]), "GitHub refuses a file with such a result");
}

#[test]
fn the_pages_have_a_row_for_each_format() {
    let row = |page: &str, format: Format| {
        let name = format.to_possible_value().unwrap().get_name().to_owned();
        assert!(page.contains(&format!("\n| `{name}`")), "{name}");
    };
    for &format in Format::value_variants() {
        row(include_str!("../../../docs/formats.md"), format);
        if !matches!(format, Format::Markdown | Format::Json) {
            row(include_str!("../../../README.md"), format);
        }
    }
}

#[test]
fn only_requested_formats_are_written_and_stale_files_are_removed() {
    let project = VersionedSet::new();
    let report = project.report();
    let folder = tempfile::tempdir().unwrap();
    let names = |formats: &[Format]| -> (BTreeSet<String>, bool) {
        let written = write(&report, &project.sources, folder.path(), formats).unwrap();
        let files = std::fs::read_dir(folder.path()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        (names, written.annotations.is_some())
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let files = [
        "report.md",
        "summary.md",
        "report.json",
        "report.sarif",
        "gl-code-quality.json",
        "report.html",
        "mutation-report.json",
        "written-by-reneri.json",
    ];
    assert_eq!(names(Format::value_variants()), (set(&files), true));
    assert_eq!(
        names(&[Format::Markdown]),
        (set(&["report.md", "summary.md", "report.json", "written-by-reneri.json"]), false)
    );
}
