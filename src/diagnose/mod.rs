//! From differences to one symptom for each undetected transformation, with its best evidence.

use crate::observe::{Frame, Part};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Symptom {
    /// A difference reaches an expression of a test, and no assertion looks at it.
    WeakOracle,
    /// Infected, but no expression in any test sees a difference.
    NoPropagation,
    /// Never infected: the method does the same as the constant for every input the tests give.
    NoInfection,
    Undecided,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    Method,
    Test,
}

/// One difference, with everything that a reader needs to find it again. Value, place, test and stack belong to the same observation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Evidence {
    /// Index into `Coverage::tests`.
    pub test: usize,
    pub invocation: u32,
    pub at: At,
    pub part: Part,
    pub path: String,
    pub type_name: String,
    /// Run-time class (binary name) of the part itself, that is, the type of its property with the empty path; says whose field `path` begins
    /// with. `None` where that property was not recorded.
    #[serde(default)]
    pub owner: Option<String>,
    pub original: Option<String>,
    pub transformed: Option<String>,
    pub deep: bool,
    /// Place in the test: of the expression (`at` test), or of the line from which the method was reached (`at` method, end 0).
    pub file: Option<PathBuf>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Source text of the expression (`at` test only).
    pub expression: Option<String>,
    /// What stands around the expression (`at` test only).
    pub expression_kind: Option<crate::propagate::ExpressionKind>,
    /// From the test (first) to the method (last); frames of JDK and test framework left out.
    pub stack: Vec<Frame>,
}

/// One way in which the tests called the method, on the original code; for explaining no-infection and for suggesting calls.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct CallSeen {
    pub test: usize,
    pub invocation: u32,
    /// How many invocations, over all tests, looked the same.
    pub count: u64,
    /// Atoms of the receiver one level deep: path, value.
    pub receiver: Vec<(String, String)>,
    /// The value of each argument, `non-null (some.Type)` for objects without a value of their own, with its atoms one level deep.
    pub arguments: Vec<SeenValue>,
    /// The result; `None` for void or when it threw.
    pub result: Option<SeenValue>,
    /// Class and message of the exception, if the method threw.
    pub exception: Option<String>,
    /// From the test (first) to the method (last).
    pub stack: Vec<Frame>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct SeenValue {
    pub type_name: String,
    pub value: String,
    pub atoms: Vec<(String, String)>,
}

/// Diagnosis of one undetected transformation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Diagnosis {
    /// Index into `Transformations::transformations`.
    pub transformation: usize,
    pub symptom: Symptom,
    /// Only for `Undecided`: a sentence.
    pub undecided_because: Option<String>,
    /// Best first; bounded.
    pub evidence: Vec<Evidence>,
    /// How many differences were left out of `evidence`.
    pub evidence_cut: usize,
    /// Distinct ways in which the tests called the method, most frequent first; bounded.
    pub calls: Vec<CallSeen>,
    /// How many distinct ways were left out of `calls`.
    pub calls_cut: usize,
}
