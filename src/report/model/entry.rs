//! One transformation of the report: its status, the evidence, and the suggestions.

use crate::diagnose::{At, Symptom};
use crate::instrument::ExpressionKind;
use crate::suggest::Trust;
use serde::{Deserialize, Serialize};

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

/// Whether the baseline has an open finding. The words are those of SARIF.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineState {
    New,
    Unchanged,
}

/// Who can call a method, according to its own access flags.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    Public,
    Protected,
    Package,
    Private,
}

/// One transformation and its result.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// `org.example.Stack.isEmpty()Z/true`
    pub id: String,
    /// Ten hexadecimal digits that stand for `id`. They are the same in every run as long as class,
    /// method and constant keep their names.
    pub short_id: String,
    /// Binary name, with `$`.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    pub visibility: Visibility,
    /// The name that Descartes gives it.
    pub transformation: String,
    pub module: String,
    /// Relative to the project, with `/`; null if no source root has the class.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub status: Status,
    pub detected_by: Vec<String>,
    /// The failure of the first test that detected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<KilledBy>,
    /// Why the transformation failed to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Tests that run the method. Closest to the method first if it is undetected, otherwise by
    /// name.
    pub covering_tests: Vec<String>,
    /// Those of `covering_tests` that are skipped under the transformation: one of their
    /// assumptions no longer holds, or they have no parameters left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_tests: Vec<String>,
    /// Those of `covering_tests` that fail in some runs only, because they depend on chance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sometimes_detected_by: Vec<String>,
    /// Only for undetected transformations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symptom: Option<Symptom>,
    /// The symptom by the state of the published study, which looks at the fields of an object and
    /// the sizes of containers, and at nothing below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_symptom: Option<Symptom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided_because: Option<String>,
    /// Only for `no-infection`: classes of objects of which reneri does not see all, so that a
    /// difference there may stay unseen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_seen: Vec<String>,
    /// Why the project accepts that the transformation is undetected (`[[accept]]` in
    /// `reneri.toml`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// Absent if there is no baseline or the finding is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_state: Option<BaselineState>,
    /// Best first.
    pub evidence: Vec<Evidence>,
    /// Number of observed differences that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evidence_cut: usize,
    /// The different ways in which the tests called the method, most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls_cut: usize,
    /// Whether the calls of some tests are left out, because their arguments are different in each run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calls_vary: bool,
    pub suggestions: Vec<Suggestion>,
}

impl Entry {
    /// Whether the transformation is undetected and not accepted.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == Status::Undetected && self.accepted.is_none()
    }

    /// Whether the finding is open and the baseline does not have it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.baseline_state == Some(BaselineState::New)
    }
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
    /// Class of the object at which `path` begins.
    pub owner: Option<String>,
    /// Null if the property does not exist on that side.
    pub original: Option<String>,
    pub transformed: Option<String>,
    /// Deeper than the state that decides the symptom.
    pub deep: bool,
    pub file: Option<String>,
    /// Lines and columns count from 1; null if unknown.
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
    /// Number of invocations, over all tests, that looked the same.
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
    /// The advice in one short line.
    pub brief: String,
    /// Markdown: plain text with code spans.
    pub text: String,
    pub entry_points: Vec<String>,
    pub accessors: Vec<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Unified diff; null for a hint.
    pub patch: Option<String>,
    /// Present if there is a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Suggestion {
    /// Whether there is a patch and all of its proof holds.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.patch.is_some() && self.trust == Trust::Verified
    }
}

/// Details of a patch.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// The new or changed test: `StackTest.pops`.
    pub test: String,
    /// Test classes (binary names) that run the test.
    #[serde(default)]
    pub test_classes: Vec<String>,
    /// SHA-256 of the file that the patch was made for.
    pub content: String,
    /// The encoding of that file; missing if it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Number of added lines, without blank ones.
    pub new_lines: usize,
    /// Ids of other transformations of the method that the patch makes the tests detect as well.
    pub also_closes: Vec<String>,
    /// Only for a draft: what does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}
