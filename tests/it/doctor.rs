//! `reneri doctor` with the binary, on copies of the test projects: it shows what it found and what
//! will not work, and runs no test.

use crate::common::{Copy, copy, printed};
use std::process::{Command, Output};

fn doctor(project: &Copy, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reneri"));
    command.arg("doctor").arg("--project").arg(&project.root).args(arguments).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_healthy_project_is_told_what_was_found_and_nothing_is_run() {
    let project = copy("versioned-set-junit5");
    let before = project.files();
    let output = doctor(&project, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let told = told(&output);
    assert!(told.contains("JUnit Platform (junit-jupiter-engine-"), "{told}");
    assert!(told.contains("test methods in"), "{told}");
    assert!(told.contains("7 methods to change, in 12 transformations"), "{told}");
    assert!(told.contains("Nothing stands in the way"), "{told}");
    assert!(!project.root.join("target/reneri/report.json").exists(), "nothing was analyzed");
    assert_eq!(project.files(), before, "the project was changed");
}

#[test]
fn modules_and_what_to_know_of_them_are_listed() {
    let project = copy("several-modules");
    let output = doctor(&project, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let told = told(&output);
    for part in ["Tests of core", "Tests of checks", "the code of app, core", "  tools: ", "tools has no tests"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let output = doctor(&project, &["--module", "app"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let told = self::told(&output);
    assert!(told.contains("Tests of app") && !told.contains("Tests of core"), "{told}");
}

#[test]
fn tests_whose_expressions_cannot_be_seen_are_named() {
    let output = doctor(&copy("kotlin"), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(told(&output).contains("WrittenTest has no Java source: it runs"), "{}", told(&output));
}

#[test]
fn what_other_extensions_and_goals_of_a_build_do_is_no_obstacle() {
    let output = doctor(&copy("busy-build"), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let told = told(&output);
    assert!(told.contains("1 test method in 1 class"), "{told}");
    let (_, hitches) = told.split_once("What to know").unwrap();
    let hitches: Vec<&str> = hitches.lines().filter(|line| line.starts_with("  - ")).collect();
    let loader =
        "  - The tests of core need the JVM's own class loader: each clean start is a new JVM, which takes longer.";
    assert_eq!(hitches, [loader]);
}

#[test]
fn what_ends_an_analysis_ends_the_doctor_with_the_same_words() {
    let output = doctor(&copy("does-not-compile"), &[]);
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(printed(&output).contains("Counter.java"), "{}", printed(&output));
}
