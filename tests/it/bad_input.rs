//! Bad input ends with a message that names the cause and the next step, and a documented exit
//! code. Nothing is changed.

use crate::common::{Copy, copy, printed};
use std::process::{Command, Output};

/// Checks the exit code and that the output contains each of `words`, but no panic or stack trace.
fn refused(project: &Copy, output: &Output, code: i32, words: &[&str]) {
    let text = printed(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    for word in words {
        assert!(text.contains(word), "«{word}» is not in:\n{text}");
    }
    assert!(!text.contains("panicked") && !text.contains("\tat "), "{text}");
    assert!(!project.root.join("target/reneri/report.md").exists());
}

#[test]
fn a_folder_without_a_pom_is_no_project() {
    let project = copy("versioned-set");
    std::fs::remove_file(project.root.join("pom.xml")).unwrap();
    refused(&project, &project.analyze(&[]), 1, &["pom.xml"]);
    assert!(!project.root.join("target").exists());
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let project = copy("versioned-set");
    let output = Command::new(env!("CARGO_BIN_EXE_reneri"))
        .args(["analyze", "--project"])
        .arg(project.root.join("nowhere"))
        .output()
        .unwrap();
    refused(&project, &output, 1, &["nowhere", "--project"]);
}

#[test]
fn an_unknown_option_is_named() {
    let project = copy("versioned-set");
    refused(&project, &project.analyze(&["--fast"]), 1, &["--fast", "--help"]);
}

#[test]
fn an_unknown_transformation_is_named_with_the_nearest_right_one() {
    let project = copy("versioned-set");
    refused(&project, &project.analyze(&["--transformations", "nul"]), 1, &["nul", "null"]);
}

#[test]
fn a_project_that_does_not_compile_shows_what_the_compiler_said() {
    let project = copy("does-not-compile");
    refused(&project, &project.analyze(&[]), 3, &[".java", "maven.log"]);
}

#[test]
fn a_project_without_tests_is_told_so() {
    let project = copy("no-tests");
    refused(&project, &project.analyze(&[]), 3, &["test"]);
}

#[test]
fn a_project_whose_tests_all_fail_beforehand_is_told_so() {
    let project = copy("all-tests-fail");
    refused(&project, &project.analyze(&[]), 4, &["fail before any change", "mvn test"]);
}

#[test]
fn without_maven_the_search_path_is_named() {
    let project = copy("versioned-set");
    let empty = tempfile::tempdir().unwrap();
    let output = project.command(&[]).env("PATH", empty.path()).env_remove("MAVEN_HOME").output().unwrap();
    refused(&project, &output, 3, &["Maven", "PATH"]);
}

#[test]
fn a_java_without_a_compiler_is_no_jdk() {
    let project = copy("versioned-set");
    let runtime = project.folder.path().join("jre");
    let linked = Command::new("jlink")
        .args(["--add-modules", "java.base,java.logging,java.xml,java.naming,java.management", "--output"])
        .arg(&runtime)
        .output()
        .unwrap();
    assert!(linked.status.success(), "{}", printed(&linked));
    let output = project.command(&[]).env("JAVA_HOME", &runtime).output().unwrap();
    refused(&project, &output, 3, &["no compiler", "JDK", "JAVA_HOME"]);
}

#[test]
fn a_broken_class_file_is_named_and_left_out() {
    let project = copy("versioned-set");
    let broken = project.root.join("target/classes/org/example/Broken.class");
    std::fs::create_dir_all(broken.parent().unwrap()).unwrap();
    std::fs::write(&broken, b"\xca\xfe\xba\xbe no class at all").unwrap();
    let output = project.analyze(&["--runs", "2", "--no-fix"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(
        printed(&output).contains("Broken.class is left out because it is no valid class file"),
        "{}",
        printed(&output)
    );
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let project = copy("versioned-set");
    let inside_a_file = project.root.join("pom.xml").join("reports");
    refused(&project, &project.analyze(&["--output", inside_a_file.to_str().unwrap()]), 1, &["pom.xml", "--output"]);
    refused(&project, &project.analyze(&["--output", "/proc/reneri"]), 1, &["/proc/reneri", "--output"]);
}
