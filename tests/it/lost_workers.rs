//! The machine kills worker JVMs while an analysis runs: one lost JVM changes no byte of the report,
//! and an analysis that loses one JVM after the other says so and ends.

use crate::common::{Copy, copy};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, Signal, System, UpdateKind};

/// The stages that run tests in worker JVMs, as they announce themselves on standard error.
const COVERAGE: &str = "Running the tests to see what they reach";
const VERDICTS: &str = "Transforming methods and running their tests";
const OBSERVATION: &str = "Observing what the tests miss";
const PATCHES: &str = "Writing tests that would notice, and proving them";

/// Two JVMs at a time, and nothing kept from the run before.
const ARGUMENTS: [&str; 5] = ["--no-history", "--runs", "2", "--jobs", "2"];

/// The workers that are killed during one analysis.
#[derive(Clone, Copy, Debug)]
struct Kills {
    stages: &'static [&'static str],
    /// CPU time in milliseconds that a worker uses within the stage before it is killed. With 0, a
    /// worker of the stage before is killed while it waits for its first request.
    after_work: u64,
    most_per_stage: usize,
}

/// The end of a disturbed analysis.
struct Disturbed {
    exit_code: Option<i32>,
    printed: String,
    /// The stage of each killed worker.
    killed: Vec<&'static str>,
}

/// Analyzes the project and kills workers meanwhile.
fn analyze_with(kills: Kills, project: &Copy) -> Disturbed {
    let mut command = project.command(&ARGUMENTS);
    let mut reneri = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = lines_of(reneri.stderr.take().unwrap());
    let mut workers = Workers::of(reneri.id());
    let mut printed = String::new();
    let mut running_stage = None;
    loop {
        match (lines.recv_timeout(Duration::from_millis(1)), running_stage) {
            (Ok(line), _) => {
                if let Some(stage) = kills.stages.iter().find(|stage| line.starts_with(**stage)) {
                    let has_ended = [": done", ": stopped"].iter().any(|end| line[stage.len()..].starts_with(end));
                    running_stage = (!has_ended).then_some(*stage);
                    workers.begin_stage();
                }
                printed.push_str(&line);
                printed.push('\n');
            }
            (Err(RecvTimeoutError::Timeout), Some(stage)) => workers.kill(stage, kills),
            (Err(RecvTimeoutError::Timeout), None) => {}
            (Err(RecvTimeoutError::Disconnected), _) => break,
        }
    }
    Disturbed { exit_code: reneri.wait().unwrap().code(), printed, killed: workers.killed.into_values().collect() }
}

/// The lines of a stream, read by a thread of its own.
fn lines_of(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            sender.send(line.unwrap()).unwrap();
        }
    });
    lines
}

/// The worker processes of one coordinator process.
struct Workers {
    coordinator: Pid,
    system: System,
    /// CPU time in milliseconds of each worker when the stage began.
    cpu_before: BTreeMap<Pid, u64>,
    /// The stage of each killed worker.
    killed: BTreeMap<Pid, &'static str>,
}

impl Workers {
    fn of(coordinator: u32) -> Self {
        Self {
            coordinator: Pid::from_u32(coordinator),
            system: System::new().unwrap(),
            cpu_before: BTreeMap::new(),
            killed: BTreeMap::new(),
        }
    }

    fn begin_stage(&mut self) {
        self.cpu_before = self.living().into_iter().collect();
    }

    /// Kills workers that have worked long enough in this stage, up to the number that is left.
    fn kill(&mut self, stage: &'static str, kills: Kills) {
        for (worker, cpu) in self.living() {
            let of_stage = self.killed.values().filter(|of| **of == stage).count();
            if of_stage >= kills.most_per_stage || self.killed.contains_key(&worker) {
                continue;
            }
            let cpu_before = self.cpu_before.get(&worker).copied().unwrap_or_default();
            if cpu.saturating_sub(cpu_before) < kills.after_work {
                continue;
            }
            let process = self.system.process(worker).unwrap();
            if process.kill_with(Signal::Kill) == Some(true) {
                self.killed.insert(worker, stage);
            }
        }
    }

    /// The workers that live, each with the CPU time in milliseconds that it has used.
    fn living(&mut self) -> Vec<(Pid, u64)> {
        let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always).with_cpu().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
        let children = self.system.processes().values().filter(|process| process.parent() == Some(self.coordinator));
        let workers = children.filter(|process| process.cmd().get(1).is_some_and(|argument| argument == "worker"));
        workers.map(|process| (process.pid(), process.accumulated_cpu_time())).collect()
    }
}

#[test]
fn a_killed_jvm_changes_no_byte_of_the_report_whichever_stage_loses_it() {
    let project = copy("versioned-set");
    let reports = || ["report.json", "report.md"].map(|file| project.report(file));
    project.analyzed(&ARGUMENTS);
    let undisturbed = reports();
    let losses: [(&[&str], u64); 5] = [
        // The JVM of the first stage spends most of this on its start.
        (&[COVERAGE], 160),
        (&[VERDICTS], 20),
        (&[OBSERVATION], 20),
        (&[PATCHES], 20),
        (&[COVERAGE, VERDICTS, OBSERVATION, PATCHES], 0),
    ];
    for (stages, after_work) in losses {
        let mut kills = Kills { stages, after_work, most_per_stage: 1 };
        loop {
            let disturbed = analyze_with(kills, &project);
            assert_eq!(disturbed.exit_code, Some(0), "{kills:?}\n{}", disturbed.printed);
            assert_eq!(reports(), undisturbed, "{kills:?}\n{}", disturbed.printed);
            if disturbed.killed.len() == stages.len() {
                break;
            }
            assert_ne!(kills.after_work, 0, "no worker was found in one of the stages\n{}", disturbed.printed);
            // A stage ended before its worker had done so much.
            kills.after_work /= 2;
        }
    }
}

#[test]
fn an_analysis_that_loses_one_jvm_after_the_other_ends_and_blames_the_machine() {
    let project = copy("versioned-set");
    for stages in [&[COVERAGE], &[PATCHES]] {
        let disturbed = analyze_with(Kills { stages, after_work: 0, most_per_stage: usize::MAX }, &project);
        let Disturbed { exit_code, printed, killed } = disturbed;
        assert_eq!(exit_code, Some(71), "killed in {killed:?}\n{printed}");
        let expected = [
            "error: The JVM of the tests ended (killed from outside, as systems do when memory runs out)",
            "The machine does that, not a test: free memory or use `--jobs 1`, and start again.",
        ];
        for words in expected {
            assert!(printed.contains(words), "{words}\n{printed}");
        }
    }
}
