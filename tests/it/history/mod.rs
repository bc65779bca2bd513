//! Reuse of the last analysis: the whole report if nothing has changed, else the results that still hold.

mod edits;
mod patches;
mod test_runs;

use crate::common::{Copy, copy, printed};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

const AGAIN: &str = "Nothing has changed since the last analysis";

/// A project with a cache of its own.
struct Project {
    copy: Copy,
    cache: tempfile::TempDir,
    /// Whether to search for patches. Tests that do not need them are a third faster without.
    has_patches: bool,
}

impl Project {
    fn new(name: &str) -> Self {
        Self { has_patches: true, ..Self::without_patches(name) }
    }

    fn without_patches(name: &str) -> Self {
        Self { copy: copy(name), cache: tempfile::tempdir().unwrap(), has_patches: false }
    }

    /// The exit code, the output, and the three files that every analysis writes.
    fn analyze(&self, arguments: &[&str]) -> (Option<i32>, String, [String; 3]) {
        let mut command = self.copy.command(arguments);
        command.args((!self.has_patches).then_some("--no-fix"));
        let output = command.args(["--runs", "2"]).env("RENERI_CACHE", self.cache.path()).output().unwrap();
        let reports = ["report.json", "report.md", "summary.md"].map(|file| self.copy.report(file));
        (output.status.code(), printed(&output), reports)
    }

    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.copy.root.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    }

    fn kept(&self) -> Vec<PathBuf> {
        self.in_cache("analyses")
    }

    fn in_cache(&self, folder: &str) -> Vec<PathBuf> {
        let folder = self.cache.path().join(folder);
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// The time at which the instrumented tests of each module were written.
    fn instrumented(&self) -> Vec<(PathBuf, SystemTime)> {
        let modified = |file: PathBuf| (file.clone(), std::fs::metadata(file).unwrap().modified().unwrap());
        let mut files: Vec<_> = self.in_cache("instrumented").into_iter().map(modified).collect();
        files.sort();
        files
    }
}

fn remove(file: &Path) {
    std::fs::remove_file(file).unwrap();
}

#[test]
fn an_unchanged_project_is_not_analyzed_again_and_a_changed_one_is() {
    let project = Project::without_patches("versioned-set");
    let (code, shown, first) = project.analyze(&[]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(AGAIN), "{shown}");
    assert_eq!(project.kept().len(), 1);

    // The second run writes another format, and its own options decide on the exit code.
    remove(&project.copy.root.join("target/reneri/report.md"));
    let (code, shown, again) = project.analyze(&["--fail-on", "any", "--format", "sarif"]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains(AGAIN) && !shown.contains("Running the tests"), "{shown}");
    assert_eq!(again, first);
    assert!(project.copy.report("report.sarif").contains("2.1.0"));

    // One transformation is enough to see what is analyzed again.
    let is_new = |arguments: &[&str], why: &str| {
        let (code, shown, reports) = project.analyze(arguments);
        assert_eq!(code, Some(0), "{why}: {shown}");
        assert!(!shown.contains(AGAIN) && shown.contains("Running the tests"), "{why}: {shown}");
        reports
    };
    std::fs::write(project.kept().first().unwrap(), "{").unwrap();
    assert_eq!(is_new(&[], "a broken file"), first);
    assert_eq!(is_new(&["--no-history"], "--no-history"), first);

    let voids = ["--transformations", "void"];
    let other = is_new(&voids, "other transformations");
    assert_ne!(other, first);
    project.change(
        "src/test/java/org/example/VersionedSetTest.java",
        "assertFalse(set.add(\"a\"));",
        "set.add(\"a\");",
    );
    is_new(&voids, "a test was changed");
    std::fs::write(project.copy.root.join("data.txt"), "what a test may read").unwrap();
    is_new(&voids, "a file that a test may read");
    assert!(project.analyze(&voids).1.contains(AGAIN));
    assert_eq!(project.kept().len(), 1);
}

#[test]
fn warnings_are_shown_again() {
    let project = Project::without_patches("failing-test");
    let warning = "is left out:";
    let (_, first, _) = project.analyze(&[]);
    assert!(first.contains(warning) && !first.contains(AGAIN), "{first}");
    let (_, again, _) = project.analyze(&[]);
    assert!(again.contains(AGAIN), "{again}");
    assert_eq!(again.matches(warning).count(), first.matches(warning).count(), "{again}");
}

#[test]
fn a_second_reneri_waits_for_the_first_one_on_the_same_project() {
    let project = copy("versioned-set");
    let file = reneri::base::project_lock::file(&project.root.canonicalize().unwrap());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let held = std::fs::File::options().create(true).append(true).open(&file).unwrap();
    held.lock().unwrap();
    let mut command = project.command(&["--runs", "2", "--no-fix", "--transformations", "void"]);
    let mut waiting = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "Another reneri works on this project: waiting until it has ended.");
    assert!(!project.root.join("target").exists(), "it waits before anything is built");
    drop(held);
    assert!(lines.next().unwrap().starts_with("Compiling"));
    lines.for_each(drop);
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    remove(&file);
}

/// The number of transformations that were analyzed again, and of all. `None` if all or none were.
fn affected(shown: &str) -> Option<(usize, usize)> {
    let line = shown.lines().find(|line| line.contains("keep their verdicts of the last analysis"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    let (kept, of) = (numbers.next()?, numbers.next()?);
    Some((of - kept, of))
}

impl Project {
    /// Analyzes after a change, and checks that the reports are those of a whole analysis. Returns the
    /// number of transformations that were analyzed again, and of all.
    fn after(&self, why: &str) -> Option<(usize, usize)> {
        affected(&self.same_as_all(why))
    }

    /// Does the same as `after`, but returns the numbers of [`ran_once`].
    fn once(&self, why: &str) -> Option<(usize, usize, usize)> {
        ran_once(&self.same_as_all(why))
    }

    fn same_as_all(&self, why: &str) -> String {
        let (code, shown, reports) = self.analyze(&["--verbose"]);
        assert_eq!(code, Some(0), "{why}: {shown}");
        for (reused, whole) in reports.iter().zip(&self.all()) {
            assert_eq!(reused, whole, "{why}: {shown}");
        }
        shown
    }

    /// The reports of an analysis without a previous one. Unlike with `--no-history`, Maven does not run
    /// again.
    fn all(&self) -> [String; 3] {
        let aside = tempfile::tempdir().unwrap();
        let folders =
            ["analyses", "instrumented"].map(|folder| (self.cache.path().join(folder), aside.path().join(folder)));
        folders.iter().for_each(|(folder, aside)| std::fs::rename(folder, aside).unwrap());
        let (_, shown, reports) = self.analyze(&["--verbose"]);
        assert!(!shown.contains("last analysis") && shown.contains("Running the tests"), "{shown}");
        for (folder, aside) in &folders {
            std::fs::remove_dir_all(folder).unwrap();
            std::fs::rename(aside, folder).unwrap();
        }
        reports
    }
}

impl Project {
    fn add(&self, file: &str, text: &str) {
        let path = self.copy.root.join(file);
        assert!(!path.exists());
        std::fs::write(path, text).unwrap();
    }

    /// A class with one test.
    fn add_test(&self, class: &str, assertion: &str) {
        self.add(&format!("src/test/java/org/example/{class}.java"), &table_test(class, assertion));
    }
}

/// The numbers of tests that ran once or not at all, of all tests, and of tests that did not run.
fn ran_once(shown: &str) -> Option<(usize, usize, usize)> {
    let line = shown.lines().find(|line| line.contains("did not run, the others ran once"))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

const TABLE: &str = r"package org.example;

public class Table {
    private static final int[] SQUARES = squares(4);

    static int[] squares(int size) {
        int[] squares = new int[size];
        for (int i = 0; i < size; i++) {
            squares[i] = i * i;
        }
        return squares;
    }

    public int square(int i) {
        return SQUARES[i];
    }

    public int twice(int i) {
        return sum(i, i) * 1;
    }

    public int sum(int one, int other) {
        return one + other;
    }
}
";

fn table_test(class: &str, assertion: &str) -> String {
    format!(
        "package org.example;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
         public class {class} {{\n    @Test\n    public void holds() {{\n        {assertion}\n    }}\n}}\n"
    )
}
