//! `reneri explain`, `list`, `show` and `verify` with the binary: their output, its stream, and the
//! errors for unknown names.

use crate::common::{Copy, copy, printed};
use std::process::{Command, Output};

fn reneri(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reneri")).args(arguments).output().unwrap()
}

fn on(project: &Copy, command: &str, arguments: &[&str]) -> Output {
    let root = project.root.to_str().unwrap();
    reneri(&[&[command, "--project", root], arguments].concat())
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(output: &Output, words: &[&str]) {
    let text = printed(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for word in words {
        assert!(text.contains(word), "«{word}» is not in:\n{text}");
    }
}

#[test]
fn a_rule_is_explained_without_colours_where_there_is_no_terminal() {
    let output = reneri(&["explain", "call-directly"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(told(&output).starts_with("# call-directly: "), "{}", told(&output));
    assert!(!told(&output).contains('\u{1b}'));
    refused(&reneri(&["explain", "call-direct"]), &["There is no rule `call-direct`", "`call-directly`"]);
    assert!(told(&reneri(&["explain"])).contains("    not-null "));
}

#[test]
fn a_list_has_a_line_for_each_transformation_and_each_method_that_is_left_out_and_runs_nothing() {
    let project = copy("versioned-set");
    let before = project.files();
    let output = on(&project, "list", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let lines = told(&output);
    assert_eq!(project.files(), before, "the project was changed");
    assert!(!project.root.join("target/reneri/report.json").exists(), "nothing was analyzed");
    let columns: Vec<Vec<&str>> = lines.lines().map(|line| line.split('\t').collect()).collect();
    let file = "src/main/java/org/example/VersionedSet.java:";
    assert!(columns.iter().all(|columns| columns[1].starts_with(file)), "{lines}");
    let (stopped, changes): (Vec<_>, Vec<_>) = columns.iter().partition(|columns| columns.len() == 3);
    assert!(changes.iter().any(|columns| columns[0] == "org.example.VersionedSet.add(Ljava/lang/Object;)Z/true"));
    assert!(stopped.iter().any(|columns| columns[0].contains(".getVersion()I") && columns[2] == "getter"), "{lines}");
    let method = |columns: &Vec<&str>| columns[0].split('(').next().unwrap().to_owned();
    assert!(columns.is_sorted_by_key(method), "{lines}");
    let sum = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = format!("{} transformations of ", changes.len());
    assert!(sum.lines().last().unwrap().starts_with(&count), "{sum}");

    let output = on(&project, "list", &["--quiet", "--disable-stop-rule", "getter", "--transformations", "0"]);
    let lines = told(&output);
    assert!(lines.contains("org.example.VersionedSet.getVersion()I/0\t"), "{lines}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_list_for_programs_has_the_keys_and_ids_of_the_report() {
    let project = copy("several-modules");
    let output = on(&project, "list", &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let list: serde_json::Value = serde_json::from_str(&told(&output)).unwrap();
    let report = project.analyzed(&["--runs", "2", "--no-fix", "--quiet"]);
    let (listed, reported) =
        (list["transformations"].as_array().unwrap(), report["transformations"].as_array().unwrap());
    assert_eq!(listed.len(), reported.len());
    for (listed, reported) in listed.iter().zip(reported) {
        for (key, value) in listed.as_object().unwrap() {
            assert_eq!(*value, reported[key], "{key}");
        }
    }
    assert_eq!(list["stopped"].as_array().unwrap().len(), report["summary"]["stopped"].as_u64().unwrap() as usize);
    refused(&on(&project, "list", &["--transformations", "nul"]), &["`nul`", "`null`"]);
    refused(&on(&project, "list", &["--module", "nowhere"]), &["nowhere", "core"]);
}

#[test]
fn a_finding_is_shown_in_the_words_of_the_report() {
    let project = copy("versioned-set");
    refused(&on(&project, "show", &["0123456789"]), &["There is no report yet", "reneri analyze"]);
    let report = project.analyzed(&["--runs", "2", "--quiet"]);
    let markdown = project.report("report.md");
    let entries = report["transformations"].as_array().unwrap();
    let mut shown = 0;
    for entry in entries {
        let (short, long) = (entry["shortId"].as_str().unwrap(), entry["id"].as_str().unwrap());
        let output = on(&project, "show", &[short]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        assert_eq!(told(&output), told(&on(&project, "show", &[long])));
        let text = told(&output);
        if entry["status"] != "undetected" {
            assert!(text.contains("\nNo finding: "), "{text}");
            continue;
        }
        shown += 1;
        assert!(text.contains(short) && text.contains("**What to do:**"), "{text}");
        // The report links to files; the terminal shows their names.
        let bare = |line: &str| line.split("](").next().unwrap().replace('[', "");
        let told: Vec<String> = markdown.lines().map(bare).collect();
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let is_told = told.iter().any(|known| !known.is_empty() && line.starts_with(known.as_str()));
            assert!(is_told || line.starts_with("How the test gets there: "), "«{line}» is not in:\n{markdown}");
        }
    }
    assert_eq!(shown, 4);

    let output = on(&project, "show", &["VersionedSet.add"]);
    refused(&output, &["no transformation `VersionedSet.add`", "org.example.VersionedSet.add("]);
    std::fs::write(project.root.join("target/reneri/report.json"), "{").unwrap();
    refused(&on(&project, "show", &["0123456789"]), &["report.json", "reneri analyze"]);
    let elsewhere = project.folder.path().join("elsewhere");
    refused(&on(&project, "show", &["x", "--output", elsewhere.to_str().unwrap()]), &["elsewhere", "no report yet"]);
}

#[test]
fn a_finding_is_verified_by_the_tests_as_they_are_now() {
    let project = copy("versioned-set");
    let report = project.analyzed(&["--runs", "2", "--no-fix"]);
    let id = |method: &str, transformation: &str| {
        let entries = report["transformations"].as_array().unwrap();
        let is = |entry: &&serde_json::Value| entry["method"] == method && entry["transformation"] == transformation;
        entries.iter().find(is).unwrap()["shortId"].as_str().unwrap().to_owned()
    };
    let (increment, empty) = (id("incrementVersion", "void"), id("isEmpty", "true"));
    let before = project.report("report.json");

    let output = on(&project, "verify", &[&increment]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(
        told(&output).contains("VersionedSet.incrementVersion() doing nothing: not detected: "),
        "{}",
        told(&output)
    );

    let test = project.root.join("src/test/java/org/example/VersionedSetTest.java");
    let text = std::fs::read_to_string(&test).unwrap();
    let line = "assertEquals(1, set.size());";
    assert!(text.contains(line));
    let asserted = format!("{line} assertEquals(1, set.getVersion());");
    std::fs::write(&test, text.replacen(line, &asserted, 1)).unwrap();
    let output = on(&project, "verify", &[&increment, &empty]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    let lines = told(&output);
    let detected =
        "doing nothing: detected: org.example.VersionedSetTest.anElementIsAddedOnce() fails (java.lang.AssertionError";
    assert!(lines.contains(detected), "{lines}");
    assert!(lines.contains("isEmpty() returning always true: not detected"), "{lines}");
    let output = on(&project, "verify", &["--quiet", &increment]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.report("report.json"), before, "the report stays as it is");

    refused(&on(&project, "verify", &["no-such-id"]), &["The project has no transformation `no-such-id`"]);
    refused(&on(&project, "verify", &[]), &["ID"]);
}
