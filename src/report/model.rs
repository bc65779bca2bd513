//! The report as plain data: what `report.json` holds, key for key and in this order, and what the other formats are made from.

use crate::diagnose::{At, Symptom};
use crate::instrument::ExpressionKind;
use crate::suggest::Trust;
use serde::{Deserialize, Serialize};

/// Goes up when a key changes its meaning or goes away; new keys do not count.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub schema_version: u32,
    pub tool: Tool,
    pub project: Project,
    pub settings: Settings,
    /// Absent where all of the project was analyzed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Which part of the analysis this is; absent where it is all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    pub tests: Tests,
    pub summary: Summary,
    /// Absent where there is no earlier analysis to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Sorted by class, method, descriptor, and the order of the transformations.
    pub transformations: Vec<Entry>,
}

impl Report {
    /// Number of undetected transformations that nobody has accepted.
    #[must_use]
    pub fn open(&self) -> usize {
        self.transformations.iter().filter(|entry| entry.is_open()).count()
    }
}

impl Entry {
    /// Undetected, and nobody has accepted it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == Status::Undetected && self.accepted.is_none()
    }

    /// Open, and the baseline does not have it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.baseline_state == Some(BaselineState::New)
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
    /// Runs of each side.
    pub runs: u32,
    /// Names of the transformations that were asked for.
    pub transformations: Vec<String>,
    /// What gives the same findings again, typed in the folder of the project.
    pub command: String,
}

/// The change that the analysis was restricted to: `since` or `inDiff`, as it was given.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// A file, without the folders of one machine, or `-` for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_diff: Option<String>,
    /// Methods that were analyzed: those that the change touches, and those that are reached by tests that it touches.
    pub methods: usize,
    /// Methods that would have been analyzed without the restriction.
    pub of_methods: usize,
    /// Tests that the change touches.
    pub touched_tests: usize,
}

/// One of several runs, perhaps on several machines, that share the methods among them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

/// The findings beside those of an earlier analysis. Accepted ones are neither new nor known.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Baseline {
    /// Its report, without the folders of one machine.
    pub file: String,
    pub new: usize,
    /// That the earlier analysis had, too.
    pub known: usize,
    /// What it had and this one, having analyzed it, has not.
    pub gone: Vec<Gone>,
}

/// A finding that is none any more. All but the last field as in [`Entry`].
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Gone {
    pub id: String,
    pub short_id: String,
    pub class: String,
    pub method: String,
    pub descriptor: String,
    pub transformation: String,
    pub module: String,
    /// What it is now; absent where there is no such transformation any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// Whether the baseline has an open finding, in SARIF's words.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineState {
    New,
    Unchanged,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Tests {
    /// Of those that ran: none where the change touches neither a method nor a test.
    pub total: usize,
    /// Names of tests that fail before any change.
    pub failing: Vec<String>,
    /// Names of tests that did not behave the same each time.
    pub unstable: Vec<String>,
    /// Why they are left out.
    pub reasons: Vec<Reason>,
    /// How closely the tests were watched; absent where no test was instrumented.
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
    /// Expressions of the tests whose values were seen.
    pub wrapped: usize,
    /// Left out by rule (constants, assignment targets, …).
    pub by_rule: usize,
    /// Given up because the compiler refused.
    pub refused: usize,
    /// Test sources of which nothing was seen.
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
    /// Reached by quarantined tests only.
    pub quarantined: usize,
    pub failed_to_run: usize,
    /// Methods that a stop rule keeps from being transformed.
    pub stopped: usize,
    /// Of the undetected ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub accepted: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Detected,
    Undetected,
    TimedOut,
    NotCovered,
    Quarantined,
    FailedToRun,
}

/// Who can call a method, by its own access flags.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    Public,
    Protected,
    Package,
    Private,
}

/// One transformation and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// `org.example.Stack.isEmpty()Z/true`
    pub id: String,
    /// Ten hexadecimal digits that stand for `id`: the same in every run, and as long as class, method and constant keep their names.
    pub short_id: String,
    /// Binary name, with `$`.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    pub visibility: Visibility,
    /// Descartes' name of it.
    pub transformation: String,
    pub module: String,
    /// Relative to the project, with `/`; null where no source root has the class.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub status: Status,
    pub detected_by: Vec<String>,
    /// What the first test that noticed saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<KilledBy>,
    /// Why a transformation failed to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Of undetected transformations those closest to the method first; else by name.
    pub covering_tests: Vec<String>,
    /// Those of them that are skipped under the transformation: an assumption of theirs no longer holds, or they are left without parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_tests: Vec<String>,
    /// Undetected transformations only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symptom: Option<Symptom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided_because: Option<String>,
    /// Why the project accepts that it is undetected (`[[accept]]` in `reneri.toml`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// Absent where there is no baseline, and where it is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_state: Option<BaselineState>,
    /// Best first.
    pub evidence: Vec<Evidence>,
    /// Differences that were seen and are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evidence_cut: usize,
    /// The different ways in which the tests called the method, most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls_cut: usize,
    pub suggestions: Vec<Suggestion>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct KilledBy {
    pub test: String,
    /// Binary name of the exception; empty for a time-out.
    pub exception: String,
    pub message: String,
}

/// One difference between the original and the transformed code.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub test: String,
    /// From 1, within the test.
    pub invocation: u32,
    pub at: At,
    /// `receiver`, `argument 0`, `result`, `exception`, `expression`, `static`.
    pub part: String,
    pub path: String,
    #[serde(rename = "type")]
    pub type_name: String,
    /// Class of the object that `path` begins at.
    pub owner: Option<String>,
    /// Null: the property is not there on that side.
    pub original: Option<String>,
    pub transformed: Option<String>,
    /// Beyond what the symptom is decided on.
    pub deep: bool,
    pub file: Option<String>,
    /// Lines and columns count from 1; null where they are not known.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    pub expression: Option<String>,
    pub expression_kind: Option<ExpressionKindName>,
    /// The text of `line`.
    pub source: Option<String>,
    /// From the test to the method.
    pub stack: Vec<String>,
}

/// [`ExpressionKind`], as the report writes it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ExpressionKindName {
    Value,
    Discarded,
    Caught,
    Thrown,
    Asserted,
}

impl From<ExpressionKind> for ExpressionKindName {
    fn from(kind: ExpressionKind) -> Self {
        match kind {
            ExpressionKind::Value => Self::Value,
            ExpressionKind::Discarded => Self::Discarded,
            ExpressionKind::Caught => Self::Caught,
            ExpressionKind::Thrown => Self::Thrown,
            ExpressionKind::Asserted => Self::Asserted,
        }
    }
}

/// One way in which the tests called the method.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Call {
    pub test: String,
    pub invocation: u32,
    /// Invocations, over all tests, that looked the same.
    pub count: u64,
    /// State of the receiver after the call.
    pub receiver: Vec<Atom>,
    pub arguments: Vec<Value>,
    pub result: Option<Value>,
    pub exception: Option<String>,
    pub stack: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Atom {
    pub path: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Value {
    #[serde(rename = "type")]
    pub type_name: String,
    pub value: String,
    pub atoms: Vec<Atom>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// A file of `rules/suggestions`; `reneri explain` prints it.
    pub rule: String,
    pub trust: Trust,
    /// One short line of the same.
    pub brief: String,
    /// Markdown: plain text with code spans.
    pub text: String,
    pub entry_points: Vec<String>,
    pub accessors: Vec<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Unified diff; null for a hint.
    pub patch: Option<String>,
    /// Where there is a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Suggestion {
    /// Whether there is a patch, and all of it holds.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.patch.is_some() && self.trust == Trust::Verified
    }
}

/// What is known of a patch.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// The test that is new or changed: `StackTest.pops`.
    pub test: String,
    /// SHA-256 of the file that it is made for.
    pub content: String,
    /// Lines that it adds, blank ones left out.
    pub new_lines: usize,
    /// Ids of other transformations of the method that it makes the tests notice, too.
    pub also_closes: Vec<String>,
    /// Of a draft: what does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}
