//! Faults while an analysis runs: an interrupt or a sudden end of reneri, processes that tests leave behind, and kept results
//! that are damaged. The last report stays, nothing is left behind, and the next analysis writes the same bytes.

use crate::common::{Copy, copy, printed};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A test that leaves a daemon behind: it is in another session and has no parent.
const DAEMON: &str = r#"package org.example;
public class DaemonTest {
    @org.junit.Test public void leavesADaemon() throws Exception {
        int exit = new ProcessBuilder("setsid", "-f", "sleep", "SECONDS").start().waitFor();
        org.junit.Assert.assertEquals(0, exit);
    }
}
"#;

struct Scene {
    project: Copy,
    cache: tempfile::TempDir,
    temporary: tempfile::TempDir,
    /// The argument by which the daemons are found.
    seconds: String,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self::without_daemon();
        scene.seconds = (1_000_000 + u64::from(std::process::id())).to_string();
        let test = scene.project.root.join("src/test/java/org/example/DaemonTest.java");
        std::fs::write(test, DAEMON.replace("SECONDS", &scene.seconds)).unwrap();
        scene
    }

    fn without_daemon() -> Self {
        let project = copy("versioned-set");
        // No other test has daemons of this name.
        let seconds = (2_000_000 + u64::from(std::process::id())).to_string();
        Self { project, cache: tempfile::tempdir().unwrap(), temporary: tempfile::tempdir().unwrap(), seconds }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command.env("RENERI_CACHE", self.cache.path()).env("TMPDIR", self.temporary.path());
        command
    }

    fn analyzed(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        assert_eq!(self.left_behind(), Vec::<String>::new(), "{}", printed(&output));
        assert_eq!(std::fs::read_dir(self.temporary.path()).unwrap().count(), 0);
        output
    }

    /// Starts an analysis, and sends it a signal in this stage. Returns its exit code.
    fn disturbed(&self, arguments: &[&str], stage: &str, signal: Signal) -> Option<i32> {
        let log = self.project.root.join("target/reneri/reneri.log");
        let _ = std::fs::remove_file(&log);
        let mut process = self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        while !std::fs::read_to_string(&log).unwrap_or_default().contains(&format!("] {stage}")) {
            assert!(started.elapsed() < Duration::from_secs(300), "{stage} never began");
            assert!(process.try_wait().unwrap().is_none(), "the analysis ended before {stage}");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill(Pid::from_raw(i32::try_from(process.id()).unwrap()), signal).unwrap();
        let sent = Instant::now();
        let code = process.wait().unwrap().code();
        assert!(sent.elapsed() < Duration::from_secs(4), "it took {:?} to end", sent.elapsed());
        code
    }

    /// The processes in the folder of the project, and the daemons.
    fn left_behind(&self) -> Vec<String> {
        let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let of_project = |process: &PathBuf| {
            let is_inside =
                std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&self.project.root));
            is_inside || command_line(process).contains(&self.seconds)
        };
        processes.filter(of_project).map(|process| command_line(&process)).collect()
    }

    /// The files of the output folder but the logs, and but the report of an interrupted analysis.
    fn reports(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = walkdir::WalkDir::new(self.project.root.join("target/reneri")).into_iter();
        let files = files.filter_entry(|entry| entry.file_name() != "partial").map(Result::unwrap);
        let files = files.filter(|file| file.file_type().is_file());
        let reports = files.filter(|file| file.path().extension().is_none_or(|ending| ending != "log"));
        reports.map(|file| (file.path().to_path_buf(), std::fs::read(file.path()).unwrap())).collect()
    }
}

fn command_line(process: &Path) -> String {
    let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}

#[test]
fn nothing_is_lost_or_left_behind_whatever_ends_an_analysis() {
    let scene = Scene::new();
    let sources = scene.project.files();
    scene.analyzed(&["--runs", "2"]);
    let whole = scene.reports();

    let patches = "Writing tests that would notice";
    assert_eq!(scene.disturbed(&["--runs", "2", "--no-history"], patches, Signal::SIGINT), Some(130));
    assert_eq!(scene.left_behind(), Vec::<String>::new());
    assert_eq!(scene.reports(), whole, "the interrupted analysis has changed the last report");
    let partial = scene.project.root.join("target/reneri/partial");
    let text = std::fs::read_to_string(partial.join("report.md")).unwrap();
    assert!(text.contains("**Interrupted: 12 of 12 changes tried. Patches may be missing.**"), "{text}");

    // Nobody is left who could clean up.
    assert_eq!(scene.disturbed(&["--runs", "1000", "--no-history"], "Observing", Signal::SIGKILL), None);
    let killed = Instant::now();
    while !scene.left_behind().is_empty() {
        assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", scene.left_behind());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(scene.reports(), whole);

    // Somebody flips a bit of everything that is kept.
    let kept = walkdir::WalkDir::new(scene.cache.path()).into_iter().map(Result::unwrap);
    for file in
        kept.filter(|file| file.file_type().is_file() && file.path().extension().is_none_or(|end| end != "class"))
    {
        let mut bytes = std::fs::read(file.path()).unwrap();
        let middle = bytes.len() / 2;
        bytes.get_mut(middle).into_iter().for_each(|byte| *byte ^= 1);
        std::fs::write(file.path(), bytes).unwrap();
    }
    let output = scene.analyzed(&["--runs", "2"]);
    assert!(printed(&output).contains("is not as it was written"), "{}", printed(&output));
    assert_eq!(scene.reports(), whole);
    assert!(!partial.exists(), "a complete report takes its place");
    assert_eq!(scene.project.files(), sources);
}

#[test]
fn an_interrupted_first_analysis_leaves_a_partial_report_and_the_next_one_continues() {
    let scene = Scene::without_daemon();
    let arguments = ["--runs", "2", "--format", "html,sarif"];
    // All verdicts are there by then, and so is a diagnosis, or none.
    assert_eq!(scene.disturbed(&arguments, "Observing what the tests miss", Signal::SIGTERM), Some(130));
    let partial = scene.reports();
    let file = |name: &str| {
        let file = scene.project.root.join("target/reneri").join(name);
        String::from_utf8(partial.get(&file).unwrap_or_else(|| panic!("no {name}")).clone()).unwrap()
    };
    for name in ["report.md", "summary.md", "report.html", "report.sarif"] {
        assert!(file(name).contains("Interrupted: 12 of 12 changes tried."), "{}", file(name));
    }
    assert!(file("report.json").contains(r#""interrupted": {"#));

    let continued = scene.analyzed(&arguments);
    assert!(printed(&continued).contains("The last analysis was interrupted"), "{}", printed(&continued));
    assert!(printed(&continued).contains("keep their verdicts"), "{}", printed(&continued));
    let continued = scene.reports();
    scene.analyzed(&["--runs", "2", "--format", "html,sarif", "--no-history"]);
    let undisturbed = scene.reports();
    for (file, bytes) in &undisturbed {
        assert_eq!(continued.get(file), Some(bytes), "{}", file.display());
    }
    assert_eq!(continued.len(), undisturbed.len());
}
