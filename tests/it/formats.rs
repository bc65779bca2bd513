//! Writes formats with the binary: each requested one is written and valid by its schema, and
//! annotations go to standard output.

use crate::common::schemas::schema_errors;
use crate::common::{copy, printed};

fn assert_valid(schema: &str, text: &str) {
    assert_eq!(schema_errors(schema, &serde_json::from_str(text).unwrap()), Vec::<String>::new());
}

#[test]
fn every_format_is_written_for_a_project_below_the_root_of_its_repository() {
    let project = copy("versioned-set");
    // The repository is the folder around the project; its name contains a space.
    std::fs::create_dir(project.folder.path().join(".git")).unwrap();
    let before = project.files();
    let output = project
        .command(&["--runs", "2", "--quiet", "--format", "sarif,gitlab", "--format", "html,elements,github"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.files(), before, "the project was changed");

    assert_valid("sarif-2.1.0.json", &project.report("report.sarif"));
    assert_valid("mutation-testing-report.json", &project.report("mutation-report.json"));
    let sarif: serde_json::Value = serde_json::from_str(&project.report("report.sarif")).unwrap();
    let uris: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris, ["a%20project/src/main/java/org/example/VersionedSet.java"; 4]);
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let change = &result["fixes"][0]["artifactChanges"][0];
        let test = "a%20project/src/test/java/org/example/VersionedSetTest.java";
        assert_eq!(change["artifactLocation"]["uri"], test, "{result}");
        assert!(change["replacements"][0]["insertedContent"]["text"].as_str().unwrap().contains("assert"), "{result}");
    }

    let annotations = String::from_utf8(output.stdout).unwrap();
    assert_eq!(annotations.lines().count(), 4, "{annotations}");
    for line in annotations.lines() {
        assert!(
            line.starts_with("::warning file=a project/src/main/java/org/example/VersionedSet.java,line="),
            "{line}"
        );
    }
    let issues: serde_json::Value = serde_json::from_str(&project.report("gl-code-quality.json")).unwrap();
    assert_eq!(issues.as_array().unwrap().len(), 4);
    assert_eq!(issues[0]["location"]["path"], "a project/src/main/java/org/example/VersionedSet.java");
    assert!(project.report("report.html").contains("<svg viewBox="));
    assert!(project.report("summary.md").contains("**What to do:**"));
}

#[test]
fn github_gets_annotations_without_being_asked_and_nobody_else_does() {
    let project = copy("versioned-set");
    let annotations = |arguments: &[&str], github_actions: &str| {
        let arguments = [&["--runs", "2", "--no-fix", "--quiet"], arguments].concat();
        let output = project.command(&arguments).env("GITHUB_ACTIONS", github_actions).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap().lines().filter(|line| line.starts_with("::warning ")).count()
    };
    assert_eq!(annotations(&[], "true"), 4);
    assert_eq!(annotations(&["--annotations", "none"], "true"), 0);
    assert_eq!(annotations(&[], ""), 0);
}
