//! Tests of the reports: the schema, the same bytes, Markdown that escapes everything, and a whole
//! report read as its user would.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod formats;
mod markdown;
mod nasty;
#[path = "../../../tests/common/schemas.rs"]
mod schemas;
pub(super) mod versioned_set;

use super::json::json;
use super::markdown::{comment, markdown};
use super::{Report, SCHEMA, Scope, Shard};
use crate::base::id::IdSlice;
use crate::fix::{Attempt, FailedSearch};
use versioned_set::VersionedSet;

fn assert_valid(report: &Report) {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = json(report).unwrap();
    let instance: serde_json::Value = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&instance).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert_eq!(&serde_json::from_str::<Report>(&text).unwrap(), report, "what is read back is what was written");
}

#[test]
fn the_report_of_versioned_set_matches_its_snapshot() {
    let project = VersionedSet::new();
    let report = project.report();
    insta::assert_snapshot!("report.md", markdown(&report, Some("../../")).unwrap());
    insta::assert_snapshot!("summary.md", comment(&report).unwrap());
    insta::assert_snapshot!("summary", super::summary(&report, "target/reneri/report.md"));
    insta::assert_snapshot!("report.json", json(&report).unwrap());
}

#[test]
fn every_report_follows_its_schema() {
    assert_valid(&VersionedSet::new().report());
    assert_valid(&VersionedSet::new().nothing_undetected());
    assert_valid(&restricted(2));
    assert_valid(&Report { shard: Some(Shard { number: 1, of: 3 }), ..VersionedSet::new().report() });
    assert_valid(&Report { transformations: vec![], ..restricted(0) });
}

/// The report of a run that was restricted to a change, with `methods` methods in scope.
fn restricted(methods: usize) -> Report {
    let scope = Scope { since: Some("main".into()), in_diff: None, methods, of_methods: 9, touched_tests: 1 };
    Report { scope: Some(scope), ..VersionedSet::new().report() }
}

#[test]
fn every_text_names_the_restriction_of_the_analysis() {
    for (report, sentence) in [(restricted(2), "2 of 9 methods"), (restricted(0), "none of the 9 methods")] {
        let texts = [
            markdown(&report, None).unwrap(),
            comment(&report).unwrap(),
            super::html::html(&report).unwrap(),
            super::summary(&report, "report.md"),
        ];
        for text in texts {
            assert!(text.contains(sentence), "{text}");
        }
    }
    assert!(!markdown(&VersionedSet::new().report(), None).unwrap().contains("was analyzed"));
}

#[test]
fn the_schema_refuses_unknown_keys() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report = serde_json::to_value(VersionedSet::new().report()).unwrap();
    let undetected =
        report["transformations"].as_array().unwrap().iter().position(|entry| entry["status"] == "undetected").unwrap();
    type Change = (&'static str, fn(&mut serde_json::Value, usize));
    let changes: [Change; 7] = [
        ("an unknown key", |report, _| report["extra"] = 1.into()),
        ("an unknown key of a transformation", |report, at| report["transformations"][at]["extra"] = 1.into()),
        ("an undetected transformation without a symptom", |report, at| {
            report["transformations"][at].as_object_mut().unwrap().remove("symptom");
        }),
        ("an absolute path", |report, at| report["transformations"][at]["file"] = "/home/me/Foo.java".into()),
        ("a scope of two changes", |report, _| {
            report["scope"] = serde_json::to_value(restricted(1)).unwrap()["scope"].clone();
            report["scope"]["inDiff"] = "-".into();
        }),
        ("a diff in a folder of one machine", |report, _| {
            report["scope"] = serde_json::to_value(restricted(1)).unwrap()["scope"].clone();
            report["scope"].as_object_mut().unwrap().remove("since");
            report["scope"]["inDiff"] = "/home/me/pr.diff".into();
        }),
        ("a hint with a patch", |report, at| report["transformations"][at]["suggestions"][0]["patch"] = "---".into()),
    ];
    assert!(validator.is_valid(&report));
    for (what, change) in changes {
        let mut changed = report.clone();
        change(&mut changed, undetected);
        assert!(!validator.is_valid(&changed), "{what}");
    }
}

#[test]
fn no_report_names_a_path_outside_the_project() {
    let project = VersionedSet::new();
    let report = project.report();
    let folder = project.folder();
    for text in [
        json(&report).unwrap(),
        markdown(&report, Some("../../")).unwrap(),
        comment(&report).unwrap(),
        super::summary(&report, "target/reneri/report.md"),
    ] {
        assert!(!text.contains(&folder), "{text}");
        assert!(!text.contains("1b2c3d4e"), "an identity hash code changes from run to run");
    }
}

#[test]
fn the_report_tells_what_was_tried_in_vain() {
    let project = VersionedSet::new();
    let told = |evaluated: usize, is_reached: bool, expected: &str| {
        let search = FailedSearch { written: 9, evaluated, is_reached };
        let attempts = vec![Attempt { patch: None, in_vain: Some(search) }, Attempt::default()];
        let findings = super::Findings { attempts: &attempts, ..project.findings() };
        let report = super::assemble(&findings).unwrap();
        let first = report.transformations.iter().filter_map(|entry| entry.suggestions.first());
        first.filter(|first| first.text.contains(expected)).count()
    };
    assert_eq!(
        told(7, true, "tried 7 expressions in tests of its own, and none gave, with the transformation, another value"),
        1
    );
    assert_eq!(
        told(7, false, "tried 7 expressions in tests of its own, and none of these tests reached the method"),
        1
    );
    assert_eq!(told(0, false, "wrote 9 expressions into tests of its own, and none of these tests came as far"), 1);
    assert_eq!(told(7, true, "accept"), 0, "a search that fails is no reason to accept a finding");
}

#[test]
fn parts_that_do_not_belong_together_are_an_error_and_no_panic() {
    let project = VersionedSet::new();
    let mut findings = project.findings();
    findings.verdicts = IdSlice::new(&findings.verdicts.raw[1..]);
    assert!(super::assemble(&findings).is_err());
}
