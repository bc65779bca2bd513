//! Copies of the test projects, and runs of the binary on them.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod schemas;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of one of the test projects, gone at the end of the test.
pub struct Copy {
    pub folder: tempfile::TempDir,
    pub root: PathBuf,
}

/// Copies `test-projects/<name>` to a temporary folder whose path has a space in it.
pub fn copy(name: &str) -> Copy {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects").join(name);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a project");
    for entry in walkdir::WalkDir::new(&from).into_iter().filter_entry(|entry| entry.file_name() != "target") {
        let entry = entry.unwrap();
        let to = root.join(entry.path().strip_prefix(&from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to).unwrap();
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
    Copy { folder, root }
}

impl Copy {
    /// Every file outside `target` with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        walkdir::WalkDir::new(&self.root)
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target")
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| (entry.path().to_path_buf(), std::fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// `reneri analyze` on the copy, not yet started. Patches take half of its time: some test analyzes each project with them, but for those that are
    /// slow or hoard memory, and the others with `--no-fix`, where what they claim has nothing to do with patches.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reneri"));
        command.arg("analyze").arg("--project").arg(&self.root).args(arguments);
        command
    }

    pub fn analyze(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Analyzes the copy, which has to succeed, and returns its `report.json`.
    pub fn analyzed(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.analyze(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        self.json()
    }

    /// `report.json` of the last run, none of whose findings contradicts its own evidence.
    pub fn json(&self) -> serde_json::Value {
        let report = serde_json::from_str(&self.report("report.json")).unwrap();
        assert_consistent(&report);
        report
    }

    pub fn report(&self, file: &str) -> String {
        let path = self.root.join("target/reneri").join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// The files in a folder, by name.
pub fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Maven, as reneri starts it for runs of a few seconds.
pub fn maven() -> Command {
    let mut command = Command::new("mvn");
    command.arg("-B").env("MAVEN_OPTS", "-XX:TieredStopAtLevel=1");
    command
}

/// Everything that a run printed, for messages.
pub fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// `Class.method/transformation` → status, and symptom where there is one.
pub fn outcomes(report: &serde_json::Value) -> BTreeMap<String, String> {
    let outcome = |entry: &serde_json::Value| {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let class = text("class");
        let simple = class.rsplit('.').next().unwrap();
        let outcome = if text("symptom").is_empty() { text("status") } else { text("symptom") };
        (format!("{simple}.{}/{}", text("method"), text("transformation")), outcome)
    };
    report["transformations"].as_array().unwrap().iter().map(outcome).collect()
}

/// Checks that the reason of each finding is what its table of differences shows.
fn assert_consistent(report: &serde_json::Value) {
    for entry in report["transformations"].as_array().unwrap() {
        let evidence = entry["evidence"].as_array().unwrap();
        let is_at = |place: &str| evidence.iter().any(|piece| piece["at"] == place);
        let is_consistent = match entry["symptom"].as_str() {
            Some("weak-oracle") => is_at("test"),
            Some("no-propagation") => is_at("method") && !is_at("test"),
            Some("no-infection") => evidence.is_empty() && returns_its_constant(entry),
            Some("undecided") => entry["undecidedBecause"].is_string(),
            _ => evidence.is_empty(),
        };
        assert!(is_consistent, "{} contradicts its own table: {entry:#}", entry["symptom"]);
    }
}

/// Whether every call that the entry lists returned the constant that replaces the body. Other constants than these
/// are written in another way than the values.
fn returns_its_constant(entry: &serde_json::Value) -> bool {
    let constant = &entry["transformation"];
    let is_plain = constant.as_str().is_some_and(|name| ["true", "false", "null", "0", "1"].contains(&name));
    let calls = entry["calls"].as_array().map_or(&[][..], Vec::as_slice);
    let mut results = calls.iter().map(|call| &call["result"]["value"]).filter(|value| value.is_string());
    !is_plain || results.all(|value| value == constant)
}
