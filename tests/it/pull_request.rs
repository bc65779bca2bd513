//! Restricts analyses to a change, with the binary: `--since` in Git repositories, `--in-diff` with
//! diffs that match or do not.

use crate::common::{Copy, copy, printed};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CODE: &str = "src/main/java/org/example/VersionedSet.java";
const TEST: &str = "src/test/java/org/example/VersionedSetTest.java";

/// A test project with one commit in a repository, which is the folder around it; its name contains
/// a space.
struct Repository(Copy);

impl Repository {
    fn of(project: &str) -> Self {
        let repository = Self(copy(project));
        std::fs::write(repository.0.folder.path().join(".gitignore"), "target\n").unwrap();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.commit();
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgSign=false"];
        let folder = self.0.folder.path();
        let output = Command::new("git").current_dir(folder).args(settings).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "a change"]);
    }

    /// Replaces the first `from` in a file of the project.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.0.root.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.0.root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The analyzed methods and the report, without patches. The report has to follow its schema.
    fn analyzed(&self, arguments: &[&str]) -> (BTreeSet<String>, serde_json::Value) {
        self.analyzed_with(&[arguments, &["--no-fix"]].concat())
    }

    fn analyzed_with(&self, arguments: &[&str]) -> (BTreeSet<String>, serde_json::Value) {
        let report = self.0.analyzed(&[arguments, &["--runs", "2"]].concat());
        let schema = serde_json::from_str(reneri::report::SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
        let entries = report["transformations"].as_array().unwrap();
        let methods: BTreeSet<String> =
            entries.iter().map(|entry| entry["method"].as_str().unwrap().to_owned()).collect();
        assert_eq!(report["scope"]["methods"], methods.len(), "{}", report["scope"]);
        assert_eq!(report["summary"]["methods"], methods.len(), "{}", report["summary"]);
        (methods, report)
    }

    fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.0.analyze(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", printed(&output));
        printed(&output)
    }
}

fn methods(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The same transformation has the same verdict and explanation, whatever else is analyzed.
fn assert_same_as_in_the_whole(part: &serde_json::Value, whole: &serde_json::Value) {
    for entry in part["transformations"].as_array().unwrap() {
        let of_whole = whole["transformations"].as_array().unwrap().iter().find(|other| other["id"] == entry["id"]);
        assert_eq!(Some(entry), of_whole);
    }
}

#[test]
fn a_method_that_changed_since_the_last_commit_is_analyzed_and_nothing_else() {
    let repository = Repository::of("versioned-set");
    repository.edit(CODE, "version++;", "version += 1;");
    repository.commit();
    let before = repository.0.files();
    let output = repository.0.analyze(&["--since", "HEAD~1", "--runs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains("Only what changed since HEAD~1 was analyzed: 1 of "), "{}", printed(&output));
    let (found, report) = repository.analyzed_with(&["--since", "HEAD~1"]);
    assert_eq!(repository.0.files(), before, "the project was changed");
    assert_eq!(found, methods(&["incrementVersion"]));
    assert_eq!(report["transformations"][0]["symptom"], "weak-oracle");
    assert_eq!(report["scope"]["since"], "HEAD~1");
    assert_eq!(report["scope"]["touchedTests"], 0);
    assert_eq!(report["settings"]["command"], "reneri analyze '--since=HEAD~1' --runs=2");
    assert!(repository.0.report("report.md").contains("**Only what changed since `HEAD~1` was analyzed:** 1 of "));
    let whole = repository.0.analyzed(&["--runs", "2"]);
    assert_eq!(whole["scope"], serde_json::Value::Null);
    assert_eq!(report["scope"]["ofMethods"], whole["summary"]["methods"]);
    assert_eq!(report["tests"]["total"], whole["tests"]["total"]);
    assert_same_as_in_the_whole(&report, &whole);
}

#[test]
fn of_a_changed_test_the_methods_that_it_reaches_are_analyzed() {
    let repository = Repository::of("versioned-set");
    repository.edit(TEST, "assertFalse(set.contains(\"b\"));", "assertFalse(set.contains(\"c\"));");
    let (found, report) = repository.analyzed(&["--since", "HEAD"]);
    assert_eq!(found, methods(&["add", "contains", "incrementVersion"]));
    assert_eq!(report["scope"]["touchedTests"], 1);
    let whole = repository.0.analyzed(&["--runs", "2", "--no-fix"]);
    assert_same_as_in_the_whole(&report, &whole);
}

#[test]
fn files_that_are_not_java_leave_nothing_to_analyze_and_no_test_runs() {
    let repository = Repository::of("versioned-set");
    repository.put("README.md", "text\n");
    repository.put("src/main/resources/a.properties", "a=b\n");
    let output =
        repository.0.analyze(&["--since", "main", "--fail-on", "any", "--format", "html,sarif,gitlab,elements"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let text = printed(&output);
    assert!(text.contains("Nothing was analyzed: what changed since main touches none of the "), "{text}");
    assert!(!text.contains("Running the tests"), "{text}");
    let (found, report) = repository.analyzed(&["--since", "main"]);
    assert_eq!((found, &report["tests"]["total"]), (methods(&[]), &0.into()));
    let markdown = repository.0.report("report.md");
    assert!(markdown.contains("**Nothing was analyzed:**") && !markdown.contains("No change went"), "{markdown}");
    let comment = repository.0.report("summary.md");
    assert!(comment.contains("**Nothing was analyzed:**") && !comment.contains("No change went"), "{comment}");
}

#[test]
fn new_files_count_and_those_that_git_ignores_do_not() {
    let repository = Repository::of("versioned-set");
    let twice =
        "package org.example;\n\npublic class Twice {\n    public int of(int n) {\n        return 2 * n;\n    }\n}\n";
    repository.put("src/main/java/org/example/Twice.java", twice);
    repository.put("src/main/java/org/example/Local.java", &twice.replace("Twice", "Local"));
    repository.put(".gitignore", "Local.java\n");
    let (_, report) = repository.analyzed(&["--since", "HEAD"]);
    let entries = report["transformations"].as_array().unwrap();
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry["class"] == "org.example.Twice"), "{entries:?}");
}

#[test]
fn a_helper_and_a_base_class_of_tests_count_for_the_tests_that_use_them() {
    let repository = Repository::of("versioned-set");
    let helper = "package org.example;\n\nclass Sets {\n    static VersionedSet<String> empty() {\n        return new VersionedSet<>();\n    }\n}\n";
    repository.put("src/test/java/org/example/Sets.java", helper);
    repository.edit(
        TEST,
        "VersionedSet<String> set = new VersionedSet<>();",
        "VersionedSet<String> set = Sets.empty();",
    );
    let other = "package org.example;\n\nimport org.junit.Test;\n\npublic class OtherTest {\n    @Test\n    public void nothing() {\n        new VersionedSet<String>().isEmpty();\n    }\n}\n";
    repository.put("src/test/java/org/example/OtherTest.java", other);
    repository.commit();
    repository.edit("src/test/java/org/example/Sets.java", "return new", "return /* as new */ new");
    let (found, report) = repository.analyzed(&["--since", "HEAD"]);
    assert_eq!(report["scope"]["touchedTests"], 5, "those of the class that uses it");
    assert!(found.contains("equals"), "{found:?}");
}

#[test]
fn in_a_build_of_several_modules_a_test_of_one_puts_the_code_of_another_in_scope() {
    let repository = Repository::of("several-modules");
    let test = walkdir::WalkDir::new(&repository.0.root)
        .into_iter()
        .filter_map(Result::ok)
        .find(|entry| entry.file_name() == "WithdrawalTest.java")
        .unwrap();
    let test = test.path().strip_prefix(&repository.0.root).unwrap().to_str().unwrap().to_owned();
    repository.edit(&test, "void anAccountIsEmptied() {", "void anAccountIsEmptied() { // a change");
    let diff = repository.git(&["diff"]);
    repository.put("target/pr.diff", &diff);
    let file = repository.0.root.join("target/pr.diff");
    let (found, report) = repository.analyzed(&["--in-diff", file.to_str().unwrap()]);
    assert!(found.contains("withdraw"), "{found:?}");
    assert_eq!(report["scope"]["touchedTests"], 1);
    assert_eq!(report["scope"]["inDiff"], "target/pr.diff");
    let modules: BTreeSet<&str> =
        report["transformations"].as_array().unwrap().iter().map(|entry| entry["module"].as_str().unwrap()).collect();
    assert_eq!(modules, BTreeSet::from(["app", "core"]), "the test is in a third one");
}

#[test]
fn a_diff_from_standard_input_is_read_whether_it_is_for_the_repository_or_the_project() {
    let repository = Repository::of("versioned-set");
    repository.edit(CODE, "version++;", "version += 1;");
    let for_repository = repository.git(&["diff"]);
    let for_project = repository.git(&["-C", repository.0.root.to_str().unwrap(), "diff", "--relative", "--no-prefix"]);
    for diff in [for_repository, for_project] {
        let output = with_input(&repository.0, &diff);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let report = repository.0.json();
        assert_eq!(report["scope"]["inDiff"], "-");
        assert_eq!(report["scope"]["methods"], 1);
        assert_eq!(report["transformations"][0]["method"], "incrementVersion");
    }
}

fn with_input(project: &Copy, text: &str) -> Output {
    use std::io::Write;
    let mut command = project.command(&["--in-diff", "-", "--runs", "2", "--no-fix"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_diff_that_does_not_match_the_tree_ends_with_its_own_code_before_anything_is_built() {
    let repository = Repository::of("versioned-set");
    repository.edit(CODE, "version++;", "version += 1;");
    let diff = repository.git(&["diff"]);
    let file = repository.0.folder.path().join("pr.diff");
    std::fs::write(&file, &diff).unwrap();
    repository.edit(CODE, "version += 1;", "version += 2;");
    let text = repository.refused(&["--in-diff", file.to_str().unwrap()], 5);
    let line = 1 + std::fs::read_to_string(repository.0.root.join(CODE))
        .unwrap()
        .lines()
        .position(|line| line.contains("version += 2;"))
        .unwrap();
    assert!(text.contains(&format!("line {line} of a project/{CODE}")), "{text}");
    assert!(text.contains("`version += 2;`") && text.contains("`version += 1;`"), "{text}");
    assert!(!repository.0.root.join("target").exists(), "it was built");
}

#[test]
fn what_cannot_be_read_as_a_change_is_told_before_anything_is_built() {
    let repository = Repository::of("versioned-set");
    let text = repository.refused(&["--since", "nowhere"], 1);
    assert!(text.contains("There is no commit `nowhere`"), "{text}");
    let pom = repository.0.root.join("pom.xml");
    let text = repository.refused(&["--in-diff", pom.to_str().unwrap()], 1);
    assert!(text.contains("cannot be read as a unified diff"), "{text}");
    assert!(!repository.0.root.join("target").exists(), "it was built");
    // A hook of the repository runs with variables that name a different place for it.
    let output = repository.0.command(&["--since", "nowhere"]).env("GIT_DIR", ".git").output().unwrap();
    assert!(printed(&output).contains("There is no commit `nowhere`"), "{}", printed(&output));
    let text = repository.refused(&["--since", "main", "--in-diff", "-"], 1);
    assert!(text.contains("cannot be used with"), "{text}");

    let outside = copy("versioned-set");
    let output = outside.analyze(&["--since", "main"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("--since needs a Git repository"), "{}", printed(&output));
    let output = outside.command(&["--since", "main"]).env("PATH", Path::new("/nowhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("there is no `git` on the PATH"), "{}", printed(&output));
}
