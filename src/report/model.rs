//! The report as plain data: the keys of `report.json`, in order. All other formats are made from
//! it.

mod entry;

pub use entry::{
    Atom, BaselineState, Call, Entry, Evidence, ExpressionKindName, Fix, KilledBy, Status, Suggestion, Value,
    Visibility,
};

use crate::diagnose::Symptom;
use entry::is_zero;
use serde::{Deserialize, Serialize};

/// Increased if a key changes its meaning or is removed. A new key does not count.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub schema_version: u32,
    pub tool: Tool,
    pub project: Project,
    pub settings: Settings,
    /// Absent if the whole project was analyzed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The part of the analysis that this report covers; absent if it covers all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// How far the analysis came; absent if nobody interrupted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Interrupted>,
    pub tests: Tests,
    pub summary: Summary,
    /// Absent if there is no earlier analysis to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Sorted by class, method, descriptor, and the order of the transformations.
    pub transformations: Vec<Entry>,
}

impl Report {
    /// The number of undetected transformations that are not accepted.
    #[must_use]
    pub fn open(&self) -> usize {
        self.transformations.iter().filter(|entry| entry.is_open()).count()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Project {
    pub name: String,
    pub modules: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Settings {
    /// Repetitions on each side.
    pub runs: u32,
    /// Names of the requested transformations.
    pub transformations: Vec<String>,
    /// The command that gives the same findings again, to be run in the folder of the project.
    pub command: String,
}

/// The change that the analysis was restricted to: `since` or `inDiff`, as given on the command
/// line.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// A file, without the folders of one machine, or `-` for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_diff: Option<String>,
    /// Methods that were analyzed: those that the change touches, and those reached by tests that
    /// it touches.
    pub methods: usize,
    /// Methods that would have been analyzed without the restriction.
    pub of_methods: usize,
    /// Tests that the change touches.
    pub touched_tests: usize,
}

/// One of several runs, perhaps on several machines, that divide the methods among them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

/// The extent of an analysis that was interrupted. The report has only transformations with a verdict, and may lack patches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Interrupted {
    /// Transformations with a verdict.
    pub tried: usize,
    /// Transformations that the whole analysis would have tried.
    pub of_transformations: usize,
    /// Undetected transformations whose tests were not observed yet.
    pub unexplained: usize,
}

/// The comparison with an earlier analysis. Accepted findings are neither new nor known.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Baseline {
    /// The file of the earlier report, without the folders of one machine.
    pub file: String,
    pub new: usize,
    /// Findings that the earlier analysis had as well.
    pub known: usize,
    /// Findings that only the earlier analysis had, although this one covers them.
    pub gone: Vec<FormerFinding>,
}

/// A finding of the baseline that is no longer one. All fields but the last are as in [`Entry`].
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct FormerFinding {
    pub id: String,
    pub short_id: String,
    pub class: String,
    pub method: String,
    pub descriptor: String,
    pub transformation: String,
    pub module: String,
    /// The current status; absent if the transformation no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Tests {
    /// Number of tests that ran; zero if the change touches neither a method nor a test.
    pub total: usize,
    /// Names of tests that fail without any change.
    pub failing: Vec<String>,
    /// Names of tests whose behaviour varied between runs.
    pub unstable: Vec<String>,
    /// Why each of them is left out.
    pub reasons: Vec<Reason>,
    /// How closely the tests were observed; absent if no test was instrumented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probes: Option<Probes>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Reason {
    pub test: String,
    pub reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Probes {
    /// Expressions of the tests whose values were observed.
    pub wrapped: usize,
    /// Expressions left out by rule (constants, assignment targets, …).
    pub by_rule: usize,
    /// Expressions given up because the compiler refused the probe.
    pub refused: usize,
    /// Test sources in which nothing was observed.
    pub left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct LeftOut {
    pub file: String,
    pub reason: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Methods with at least one transformation.
    pub methods: usize,
    pub transformations: usize,
    pub detected: usize,
    pub undetected: usize,
    pub not_covered: usize,
    pub timed_out: usize,
    pub no_infection: usize,
    pub no_propagation: usize,
    pub weak_oracle: usize,
    pub undecided: usize,
    /// Reached only by quarantined tests.
    pub quarantined: usize,
    pub failed_to_run: usize,
    /// Methods that a stop rule excludes from transformation.
    pub stopped: usize,
    /// Accepted ones among the undetected.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub accepted: usize,
}

impl Summary {
    /// Counts the entries. The numbers of methods are not known here and stay 0.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let status = |wanted: Status| entries.iter().filter(|entry| entry.status == wanted).count();
        let symptom = |wanted: Symptom| entries.iter().filter(|entry| entry.symptom == Some(wanted)).count();
        Self {
            methods: 0,
            transformations: entries.len(),
            detected: status(Status::Detected),
            undetected: status(Status::Undetected),
            not_covered: status(Status::NotCovered),
            timed_out: status(Status::TimedOut),
            no_infection: symptom(Symptom::NoInfection),
            no_propagation: symptom(Symptom::NoPropagation),
            weak_oracle: symptom(Symptom::WeakOracle),
            undecided: symptom(Symptom::Undecided),
            quarantined: status(Status::Quarantined),
            failed_to_run: status(Status::FailedToRun),
            stopped: 0,
            accepted: 0,
        }
    }
}
