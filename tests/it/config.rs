//! `reneri.toml` and `reneri config` with the binary: the file sets defaults, the command line
//! overrides them, and without a file nothing changes.

use crate::common::{Copy, copy, printed};
use std::path::Path;
use std::process::{Command, Output};

fn reneri(project: &Copy, command: &str, arguments: &[&str]) -> Output {
    let mut reneri = Command::new(env!("CARGO_BIN_EXE_reneri"));
    reneri.arg(command).arg("--project").arg(&project.root).args(arguments).output().unwrap()
}

fn write(project: &Copy, text: &str) {
    std::fs::write(project.root.join("reneri.toml"), text).unwrap();
}

fn config(project: &Copy, arguments: &[&str]) -> String {
    let output = reneri(project, "config", arguments);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The line of a key, without the spaces that align it.
fn line(text: &str, key: &str) -> String {
    let line = text.lines().find(|line| line.trim_start_matches("# ").starts_with(&format!("{key} "))).unwrap();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_value_is_shown_with_where_it_comes_from() {
    let project = copy("versioned-set");
    let text = config(&project, &[]);
    assert!(text.starts_with("# Without a reneri.toml.\n"), "{text}");
    assert_eq!(line(&text, "runs"), "runs = 10 # default");
    assert_eq!(line(&text, "jobs"), "# jobs is not set, which means one per processor, if memory allows");

    write(&project, "# ours\nruns = 4\noutput = \"build/out\"\nmaven-arg = \"-Pfast\"\noffline = true\n");
    let text = config(&project, &["--runs", "3", "--format", "html,sarif"]);
    assert_eq!(line(&text, "runs"), "runs = 3 # command line, instead of reneri.toml:2");
    assert_eq!(line(&text, "maven-arg"), "maven-arg = [\"-Pfast\"] # reneri.toml:4");
    assert_eq!(line(&text, "format"), "format = [\"html\", \"sarif\"] # command line");
    let output = project.root.join("build/out");
    assert_eq!(line(&text, "output"), format!("output = \"{}\" # reneri.toml:3", output.display()));

    // The printed text, used as a file, gives the same settings again.
    write(&project, &text);
    assert_eq!(line(&config(&project, &[]), "runs"), format!("runs = 3 # reneri.toml:{}", 8));
    // A typed option removes an option of the file that conflicts with it.
    let pom = project.root.join("pom.xml");
    let output = Command::new(env!("CARGO_BIN_EXE_reneri"))
        .current_dir(&project.root)
        .args(["config", "--recipe", pom.to_str().unwrap()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(line(&text, "offline").starts_with("offline = false # default: "), "{text}");
    assert_eq!(line(&config(&project, &["--no-config"]), "runs"), "runs = 10 # default");
}

#[test]
fn what_is_wrong_in_the_file_ends_every_command_with_file_and_line() {
    let project = copy("versioned-set");
    write(&project, "runs = 4\nfail-onn = \"any\"\n");
    for (command, arguments) in
        [("analyze", &[][..]), ("doctor", &[]), ("list", &[]), ("show", &["x"]), ("config", &[])]
    {
        let output = reneri(&project, command, arguments);
        let text = printed(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {text}");
        assert!(text.contains("reneri.toml:2: there is no key `fail-onn`.") && text.contains("`fail-on`"), "{text}");
    }
    assert!(!project.root.join("target").exists());
    assert_eq!(reneri(&project, "show", &["x", "--no-config"]).status.code(), Some(1));
    assert!(printed(&reneri(&project, "show", &["x", "--no-config"])).contains("no report yet"));
}

#[test]
fn an_analysis_works_with_what_the_file_says_and_the_command_line_goes_before_it() {
    let project = copy("versioned-set");
    write(
        &project,
        "runs = 3\nfail-on = \"any\"\nformat = [\"html\"]\noutput = \"build/reneri\"\ntransformations = \"void\"\n",
    );
    let output = project.analyze(&["--quiet"]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    let folder = project.root.join("build/reneri");
    let report = |folder: &Path| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
    };
    let settings = &report(&folder)["settings"];
    assert_eq!((&settings["runs"], &settings["transformations"]), (&3.into(), &serde_json::json!(["void"])));
    assert_eq!(settings["command"], "reneri analyze --runs=3 --transformations=void");
    assert!(folder.join("report.html").is_file() && !project.root.join("target/reneri").exists());

    // `show` reads the report from the folder that the file names.
    let found = report(&folder);
    let id = found["transformations"].as_array().unwrap().iter().find(|entry| entry["status"] == "undetected").unwrap();
    assert_eq!(reneri(&project, "show", &[id["shortId"].as_str().unwrap()]).status.code(), Some(0));

    let output = project.analyze(&["--quiet", "--runs", "10", "--fail-on", "none", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(folder.join("report.sarif").is_file() && !folder.join("report.html").exists());
    // The file may set a different default, so that the command names the usual default as well.
    assert_eq!(report(&folder)["settings"]["command"], "reneri analyze --runs=10 --transformations=void");

    let output = project.analyze(&["--quiet", "--no-config", "--runs", "2", "--no-fix"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.json()["settings"]["command"], "reneri analyze --no-config --runs=2 --no-fix");
}

#[test]
fn accepted_findings_stand_apart_and_fail_no_run() {
    let project = copy("versioned-set");
    let run = |arguments: &[&str]| project.analyze(&[&["--runs", "2", "--no-fix", "--quiet"], arguments].concat());
    assert_eq!(run(&["--fail-on", "any"]).status.code(), Some(2));
    assert_eq!(run(&["--max-undetected", "4"]).status.code(), Some(0));
    assert_eq!(run(&["--max-undetected", "3"]).status.code(), Some(2));
    let ids: Vec<String> = project.json()["transformations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["status"] == "undetected")
        .map(|entry| entry["shortId"].as_str().unwrap().to_owned())
        .collect();
    let one = format!("[[accept]]\nid = \"{}\"\nreason = \"that's only one\"\n", ids[0]);
    write(&project, &format!("max-undetected = 3\n\n{one}\n[[accept]]\nclass = \"nowhere.*\"\nreason = \"stale\"\n"));
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("warning: reneri.toml:7: no transformation fits it."), "{}", printed(&output));
    let report = project.json();
    assert_eq!((&report["summary"]["undetected"], &report["summary"]["accepted"]), (&4.into(), &1.into()));
    let markdown = project.report("report.md");
    let accepted = markdown.split("\n## Accepted\n").nth(1).unwrap();
    assert!(accepted.contains("that's only one") && accepted.contains(&ids[0]), "{accepted}");
    assert_eq!(markdown.matches(&ids[0]).count(), 1, "it is told once, at the end");
    let shown = printed(&reneri(&project, "show", &[&ids[0]]));
    assert!(shown.contains("**What to do:**") && shown.contains("Accepted: that's only one"), "{shown}");

    // The command line overrides the file, and one option removes the other.
    let output = run(&["--fail-on", "any"]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    write(&project, "fail-on = \"any\"\n[[accept]]\nmethod = \"*\"\nreason = \"all of them\"\nuntil = 2200-01-01\n");
    let output = run(&["--format", "sarif,html,elements,gitlab"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let sarif: serde_json::Value = serde_json::from_str(&project.report("report.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert!(project.report("report.html").contains("<h2>Accepted</h2>"));
    assert!(!project.report("report.md").contains("## Findings"));
    write(&project, "[[accept]]\nmethod = \"*\"\nreason = \"for a while\"\nuntil = 2001-01-01\n");
    let output = run(&["--fail-on", "any"]);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(printed(&output).contains("reneri.toml:1: its time ended with 2001-01-01"), "{}", printed(&output));
}
