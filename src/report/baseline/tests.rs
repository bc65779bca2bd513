//! Compares reports of versioned-set with changed copies of themselves: matches, findings that are
//! gone, and the texts about both.

use super::*;
use crate::report::json::json;
use crate::report::markdown::{comment, markdown};
use crate::report::model::{Scope, Summary};
use crate::report::tests::versioned_set::VersionedSet;
use crate::report::{Shard, html, summary};

fn whole() -> Report {
    let mut report = VersionedSet::new().report();
    report.settings.transformations = ["void", "null", "true", "false", "0", "1"].map(str::to_owned).to_vec();
    report
}

fn compared(mut report: Report, earlier: Report) -> (Report, Vec<String>) {
    let notes = compare(&mut report, &BaselineReport { file: "main.json".into(), report: earlier });
    (report, notes)
}

fn counts(report: &Report) -> (usize, usize, usize) {
    let baseline = report.baseline.as_ref().unwrap();
    (baseline.new, baseline.known, baseline.gone.len())
}

/// Indices of the undetected transformations of the report.
fn undetected(report: &Report) -> Vec<usize> {
    let is_undetected = |index: &usize| report.transformations[*index].status == Status::Undetected;
    (0..report.transformations.len()).filter(is_undetected).collect()
}

/// Pretends that a test detected the transformation.
fn detect(report: &mut Report, index: usize) {
    let detected = report.transformations.iter().find(|entry| entry.status == Status::Detected).unwrap().clone();
    let entry = &mut report.transformations[index];
    (entry.status, entry.symptom, entry.study_symptom) = (Status::Detected, None, None);
    (entry.detected_by, entry.killed_by) = (detected.detected_by, detected.killed_by);
    entry.evidence.clear();
    entry.suggestions.clear();
}

/// Renames the method of a finding, as it is called in the byte code.
fn rename(report: &mut Report, index: usize, method: &str) {
    let entry = &mut report.transformations[index];
    entry.method = method.to_owned();
    entry.id = format!("{}.{method}{}/{}", entry.class, entry.descriptor, entry.transformation);
}

#[test]
fn the_same_report_has_nothing_new_even_if_line_symptom_or_module_differ() {
    let all = undetected(&whole()).len();
    let mut moved = whole();
    for entry in &mut moved.transformations {
        entry.line = entry.line.map(|line| line + 40);
        entry.file = None;
        entry.module = "renamed".into();
        entry.symptom = entry.symptom.map(|_| crate::diagnose::Symptom::Undecided);
    }
    for earlier in [whole(), moved] {
        let (report, notes) = compared(whole(), earlier);
        assert_eq!((counts(&report), notes), ((0, all, 0), Vec::new()));
    }
}

#[test]
fn a_finding_that_the_baseline_detected_or_lacked_is_new() {
    let mut earlier = whole();
    let found = undetected(&earlier);
    detect(&mut earlier, found[0]);
    earlier.transformations.remove(found[1]);
    let (report, _) = compared(whole(), earlier);
    assert_eq!(counts(&report), (2, found.len() - 2, 0));
    let new: Vec<usize> =
        (0..report.transformations.len()).filter(|index| report.transformations[*index].is_new()).collect();
    assert_eq!(new, found[..2]);
}

#[test]
fn an_accepted_finding_is_neither_new_nor_known_nor_gone() {
    let found = undetected(&whole());
    for earlier in [whole(), Report { transformations: Vec::new(), ..whole() }] {
        let mut report = whole();
        for index in &found {
            report.transformations[*index].accepted = Some("it is fine".into());
        }
        let (report, _) = compared(report, earlier);
        assert_eq!(counts(&report), (0, 0, 0));
        assert!(report.transformations.iter().all(|entry| entry.baseline_state.is_none()));
    }
    // A finding that the baseline accepted still existed there.
    let mut earlier = whole();
    earlier.transformations[found[0]].accepted = Some("it is fine".into());
    assert_eq!(counts(&compared(whole(), earlier).0), (0, found.len(), 0));
}

#[test]
fn only_what_was_analyzed_can_be_gone() {
    let found = undetected(&whole());
    let (detected, removed) = (found[0], found[1]);
    let changed = || {
        let mut report = whole();
        detect(&mut report, detected);
        report.transformations.remove(removed);
        report
    };
    let (report, _) = compared(changed(), whole());
    assert_eq!(counts(&report), (0, found.len() - 2, 2));
    let mut became: Vec<_> = report.baseline.unwrap().gone.into_iter().map(|gone| gone.status).collect();
    became.sort_by_key(Option::is_some);
    assert_eq!(became, [None, Some(Status::Detected)]);

    let scope = Scope { since: Some("main".into()), in_diff: None, methods: 2, of_methods: 9, touched_tests: 1 };
    let part = Report { scope: Some(scope), ..changed() };
    assert_eq!(counts(&compared(part, whole()).0).2, 1, "what is not in the change may be there still");
    let part = Report { shard: Some(Shard { number: 1, of: 2 }), ..changed() };
    assert_eq!(counts(&compared(part, whole()).0).2, 1);
    let mut other_module = changed();
    other_module.project.modules = vec!["other".into()];
    assert_eq!(counts(&compared(other_module, whole()).0).2, 1);
    let mut others = changed();
    others.settings.transformations = vec!["\"A\"".into()];
    assert_eq!(counts(&compared(others, whole()).0).2, 1);
    for unknown in [Status::Quarantined, Status::FailedToRun] {
        let mut report = whole();
        report.transformations[detected].status = unknown;
        assert_eq!(counts(&compared(report, whole()).0), (0, found.len() - 1, 0));
    }
}

#[test]
fn an_added_lambda_renumbers_others_without_new_findings() {
    let (first, second) = (undetected(&whole())[0], undetected(&whole())[1]);
    let all = undetected(&whole()).len();
    let mut earlier = whole();
    rename(&mut earlier, first, "lambda$sort$0");
    // A detected lambda was added before it.
    let mut report = whole();
    rename(&mut report, first, "lambda$sort$1");
    assert_eq!(counts(&compared(report.clone(), earlier.clone()).0), (0, all, 0));
    // In another method, it is a different lambda.
    rename(&mut report, first, "lambda$map$1");
    assert_eq!(counts(&compared(report.clone(), earlier.clone()).0), (1, all - 1, 1));
    // If there was one and now there are two, one of them is new.
    let mut two = whole();
    rename(&mut two, first, "lambda$sort$0");
    let another = Entry { status: Status::Undetected, ..two.transformations[first].clone() };
    two.transformations[second] = another;
    rename(&mut two, second, "lambda$sort$1");
    assert_eq!(counts(&compared(two, earlier).0), (1, all - 1, 1));
}

#[test]
fn a_partial_baseline_is_reported() {
    let scope = Scope { since: Some("main".into()), in_diff: None, methods: 2, of_methods: 9, touched_tests: 1 };
    let (_, notes) = compared(whole(), Report { scope: Some(scope), ..whole() });
    assert!(notes.len() == 1 && notes[0].starts_with("The baseline main.json is of a change"), "{notes:?}");
    let (_, notes) = compared(whole(), Report { shard: Some(Shard { number: 1, of: 2 }), ..whole() });
    assert!(notes.len() == 1 && notes[0].contains("reneri merge"), "{notes:?}");
    let mut fewer = whole();
    fewer.settings.transformations.truncate(4);
    let (_, notes) = compared(whole(), fewer.clone());
    assert!(notes.len() == 1 && notes[0].contains("without the transformations 0, 1:"), "{notes:?}");
    fewer.settings.transformations = vec!["all".into()];
    assert_eq!(compared(whole(), fewer).1, Vec::<String>::new());
}

#[test]
fn a_baseline_of_another_project_is_refused_but_not_of_a_renamed_one() {
    let baseline = BaselineReport { file: "main.json".into(), report: whole() };
    let Report { project, .. } = whole();
    assert!(baseline.check(&project.name, &["renamed"]).is_ok());
    assert!(baseline.check("renamed", &[&project.modules[0]]).is_ok());
    let text = baseline.check("Other", &["other"]).unwrap_err().to_string();
    assert!(text.starts_with("The baseline main.json is of another project: ") && text.contains("Other"), "{text}");
}

#[test]
fn every_text_names_new_and_gone_findings() {
    let found = undetected(&whole());
    let mut earlier = whole();
    earlier.transformations.remove(found[2]);
    let mut report = whole();
    detect(&mut report, found[0]);
    report.transformations.remove(found[1]);
    let Summary { methods, stopped, .. } = report.summary;
    report.summary = Summary { methods, stopped, ..Summary::of(&report.transformations) };
    let (report, _) = compared(report, earlier);
    insta::assert_snapshot!("report.md", markdown(&report, Some("../../")).unwrap());
    insta::assert_snapshot!("summary.md", comment(&report).unwrap());
    insta::assert_snapshot!("summary", summary(&report, "target/reneri/report.md"));
    let page = html::html(&report).unwrap();
    for text in [
        "<strong>Since the baseline <code>main.json</code>:</strong> 1 new",
        "<span class=\"new\">new</span>",
        "Findings of the baseline that are gone: 2",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<span class=\"new\">").count(), 1);
    let schema = serde_json::from_str(crate::report::SCHEMA).unwrap();
    let written = serde_json::from_str(&json(&report).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}
