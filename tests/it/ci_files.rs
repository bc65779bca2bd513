//! Runs the scripts of `ci/` in a clone: in a request they analyze its change, elsewhere
//! everything.

use crate::common::{Copy, copy};
use std::path::Path;
use std::process::Command;

/// The script of a YAML file that starts with `begin`: the lines below the last `|`, without
/// indentation.
fn script(file: &str, begin: &str) -> String {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let (_, rest) = text.split_once(begin).unwrap();
    let indentation = rest.lines().find(|line| !line.is_empty()).unwrap();
    let indentation = &indentation[..indentation.len() - indentation.trim_start().len()];
    let lines = rest.lines().skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix(indentation));
    lines.fold(String::new(), |script, line| script + line + "\n")
}

fn git(folder: &Path, arguments: &[&str]) {
    let own = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let output = Command::new("git").args(own).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A clone whose branch has a different body of `contains` than `main` of its origin.
fn clone() -> Copy {
    let mut project = copy("versioned-set");
    git(&project.root, &["init", "-q", "-b", "main"]);
    git(&project.root, &["add", "."]);
    git(&project.root, &["commit", "-qm", "first"]);
    let clone = project.folder.path().join("clone");
    git(&project.root, &["clone", "-q", ".", clone.to_str().unwrap()]);
    project.root = clone;
    let source = project.root.join("src/main/java/org/example/VersionedSet.java");
    let text = std::fs::read_to_string(&source).unwrap();
    let changed = text.replace("if (present.equals(element)) {", "if (element.equals(present)) {");
    assert_ne!(changed, text);
    std::fs::write(source, changed).unwrap();
    project
}

/// Runs the script. Returns the restriction of the report and the number of analyzed methods.
fn run(project: &Copy, script: &str, variables: &[(&str, &str)]) -> (Option<String>, u64) {
    let home = project.folder.path().join("home");
    let programs = home.join(".local/reneri/bin");
    if !programs.exists() {
        std::fs::create_dir_all(&programs).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_reneri"), programs.join("reneri")).unwrap();
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let repository = Path::new(&std::env::var("HOME").unwrap()).join(".m2");
    if !home.join(".m2").exists() && repository.exists() {
        std::os::unix::fs::symlink(repository, home.join(".m2")).unwrap();
    }
    let mut command = Command::new("bash");
    command.args(["-e", "-c", script]).current_dir(&project.root).env("HOME", &home).env("PATH", path);
    for variable in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        command.env(variable, project.folder.path().join(variable));
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", crate::common::printed(&output));
    let report = project.json();
    let since = report["scope"]["since"].as_str().map(str::to_owned);
    (since, report["summary"]["methods"].as_u64().unwrap())
}

#[test]
fn the_action_analyzes_a_pull_request_or_everything() {
    let project = clone();
    let script = script("ci/action.yml", "SHARD: ${{ inputs.shard }}\n      run: |\n");
    let common = [("PROJECT", "."), ("ARGUMENTS", "--runs 2 --no-fix --format html"), ("SHARD", "")];
    let on_branch = [&common[..], &[("GITHUB_BASE_REF", "")]].concat();
    assert_eq!(run(&project, &script, &on_branch), (None, 7));
    let in_request = [&common[..], &[("GITHUB_BASE_REF", "main")]].concat();
    assert_eq!(run(&project, &script, &in_request), (Some("origin/main".to_owned()), 1));
    let written = |file: &str| std::fs::read_to_string(project.folder.path().join(file)).unwrap();
    assert_eq!(written("GITHUB_OUTPUT").lines().next(), Some("report=./target/reneri"));
    assert!(written("GITHUB_STEP_SUMMARY").contains("reneri"));
    assert!(project.root.join("target/reneri/report.html").exists());
}

#[test]
fn the_job_for_gitlab_analyzes_a_merge_request_or_everything() {
    let project = clone();
    let script = script("ci/gitlab.yml", "script:\n    - |\n");
    let cache = project.root.join(".reneri-cache").display().to_string();
    let common = [("RENERI_ARGUMENTS", "--runs 2 --no-fix"), ("RENERI_CACHE", cache.as_str())];
    assert_eq!(run(&project, &script, &common), (None, 7));
    let in_request = [&common[..], &[("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")]].concat();
    assert_eq!(run(&project, &script, &in_request), (Some("FETCH_HEAD".to_owned()), 1));
    assert!(project.root.join("target/reneri/gl-code-quality.json").exists());
    // The cache is in the project but does not belong to it.
    let (since, methods) = run(&project, &script, &common);
    assert_eq!((since, methods), (None, 7));
    let log = project.report("reneri.log");
    assert!(log.contains("12 of 12 transformations keep their verdicts"), "{log}");
}
