//! Compares findings with those of an earlier analysis, with the binary: new findings, failing
//! runs, and refused files.

use crate::common::{Copy, copy, printed};
use serde_json::Value;
use std::process::{Command, Output};

const CODE: &str = "src/main/java/org/example/VersionedSet.java";
const TEST: &str = "src/test/java/org/example/VersionedSetTest.java";

fn edit(project: &Copy, file: &str, from: &str, to: &str) {
    let path = project.root.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
}

/// The analyzed project and its report, after an edit that adds one finding, removes one, and moves
/// the lines of all others.
fn changed() -> (Copy, String) {
    let project = copy("versioned-set");
    project.analyzed(&["--runs", "2", "--no-fix", "--quiet"]);
    let baseline = project.folder.path().join("main.json");
    std::fs::rename(project.root.join("target/reneri/report.json"), &baseline).unwrap();
    edit(&project, CODE, "public class", "// moves\n// all\n// lines\npublic class");
    edit(&project, CODE, "public boolean remove(Object element)", "public boolean remove(Object other)");
    edit(&project, CODE, "!elements.remove(element)", "!elements.remove(other)");
    let method = "    public int weight() {\n        return 3 * size();\n    }\n\n    private void incrementVersion()";
    edit(&project, CODE, "    private void incrementVersion()", method);
    edit(&project, TEST, "set.clear();", "set.clear(); set.weight(); assertEquals(2, set.getVersion());");
    (project, baseline.to_str().unwrap().to_owned())
}

fn compared(project: &Copy, baseline: &str, arguments: &[&str]) -> Output {
    project.analyze(&[&["--runs", "2", "--no-fix", "--baseline", baseline], arguments].concat())
}

fn merge(project: &Copy, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reneri"));
    command.args(["merge", "--project"]).arg(&project.root).args(arguments).output().unwrap()
}

fn states(project: &Copy) -> Vec<(String, String)> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let report = project.json();
    let entries = report["transformations"].as_array().unwrap().iter().filter(|entry| entry["status"] == "undetected");
    entries.map(|entry| (text(entry, "id"), text(entry, "baselineState"))).collect()
}

#[test]
fn what_a_change_adds_is_new_and_fails_the_run_until_it_is_accepted() {
    let (project, baseline) = changed();
    let output = compared(&project, &baseline, &["--fail-on", "new", "--format", "sarif,html,github"]);
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("\nSince the baseline main.json: 2 new, 3 known, 1 gone.\n"), "{text}");
    assert!(text.contains("title=weak-oracle, new%3A") || text.contains("%2C new%3A no test fails with"), "{text}");
    for (id, state) in states(&project) {
        assert_eq!(state == "new", id.contains(".weight()I/"), "{id}: {state}");
    }
    let gone = &project.json()["baseline"]["gone"];
    assert_eq!(gone[0]["id"], "org.example.VersionedSet.incrementVersion()V/void");
    assert_eq!((&gone[0]["status"], gone.as_array().unwrap().len()), (&"detected".into(), 1));
    let markdown = project.report("report.md");
    let first = markdown.split("## Findings").nth(1).unwrap().lines().find(|line| line.starts_with("1. ")).unwrap();
    assert!(first.contains("`VersionedSet.weight()`") && first.ends_with("**new**"), "{first}");
    let gone = "`VersionedSet.incrementVersion()` doing nothing: `VersionedSetTest.aSetThatWasClearedHasNoElements()` fails with it";
    assert!(markdown.contains(gone), "{markdown}");
    let sarif: Value = serde_json::from_str(&project.report("report.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of = |state: &str| results.iter().filter(|result| result["baselineState"] == state).count();
    assert_eq!(of("new") + of("unchanged"), results.len());
    assert!(of("new") > 0 && of("unchanged") == 3);

    // `--max-undetected` and `--fail-on any` still count all findings.
    for (arguments, code) in [
        (&["--max-undetected", "5"][..], 0),
        (&["--max-undetected", "4"], 2),
        (&["--fail-on", "any"], 2),
        (&["--fail-on", "none"], 0),
    ] {
        let output = compared(&project, &baseline, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", printed(&output));
    }
    let accept = "fail-on = \"new\"\n[[accept]]\nmethod = \"weight\"\nreason = \"not in use yet\"\n";
    std::fs::write(project.root.join("reneri.toml"), accept).unwrap();
    let output = compared(&project, &baseline, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("Since the baseline main.json: 0 new, 3 known, 1 gone."), "{}", printed(&output));
    let output = project.analyze(&["--runs", "2"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("--fail-on new needs a baseline"), "{}", printed(&output));
}

#[test]
fn the_parts_of_an_analysis_are_compared_when_they_are_merged() {
    let (project, baseline) = changed();
    let mut parts = Vec::new();
    for part in ["1/2", "2/2"] {
        let folder = project.folder.path().join(part.replace('/', "-"));
        let arguments = ["--shard", part, "--output", folder.to_str().unwrap()];
        let output = compared(&project, &baseline, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let report: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
        assert!(report["baseline"]["gone"].as_array().unwrap().len() <= 1, "{}", report["baseline"]);
        parts.push(folder.join("report.json").to_str().unwrap().to_owned());
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let output = merge(&project, &[&parts[..], &["--baseline", &baseline, "--fail-on", "new"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(printed(&output).contains("Since the baseline main.json: 2 new, 3 known, 1 gone."), "{}", printed(&output));
    let merged = project.json();
    let output = merge(&project, &parts);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.json()["baseline"], Value::Null);
    compared(&project, &baseline, &[]);
    assert_eq!(project.json(), merged);
    let output = compared(&project, parts[0], &["--quiet"]);
    assert!(printed(&output).contains("is of one part of an analysis"), "{}", printed(&output));
}

#[test]
fn a_file_that_is_no_report_of_the_project_is_refused_before_anything_runs() {
    let project = copy("versioned-set");
    let file = project.folder.path().join("main.json");
    let name = file.to_str().unwrap();
    let refused = |word: &str| {
        let output = compared(&project, name, &[]);
        let text = printed(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("main.json") && text.contains(word) && text.contains("Give --baseline"), "{text}");
    };
    refused("There is no file");
    for text in ["{", "{\"version\": \"2.1.0\", \"runs\": []}", "[]"] {
        std::fs::write(&file, text).unwrap();
        refused("is no report that this reneri can read");
    }
    assert!(!project.root.join("target").exists(), "it was built");
    let other = copy("versioned-set-junit5");
    other.analyzed(&["--runs", "2", "--no-fix", "--quiet", "--transformations", "void"]);
    std::fs::copy(other.root.join("target/reneri/report.json"), &file).unwrap();
    refused("is of another project");
    assert!(!project.root.join("target/reneri/report.json").exists(), "it was analyzed");
}
