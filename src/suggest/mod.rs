//! From a diagnosis to suggestions in plain words: what to write, where, with which expected value.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How far a suggestion can be trusted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Text.
    Hint,
    /// Code, unproven.
    Draft,
    /// Code, proven by running it.
    Verified,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Suggestion {
    /// File name, without ending, in `rules/suggestions`.
    pub rule: String,
    pub trust: Trust,
    /// Plain text with Markdown code spans only; everything that comes from the project is already escaped for Markdown.
    pub text: String,
    /// Methods to call from a test: `org.example.Stack.isEmpty()`.
    pub entry_points: Vec<String>,
    /// Methods that read the state that differs: `org.example.Stack.size()`.
    pub accessors: Vec<String>,
    /// Where the new code belongs.
    pub file: Option<PathBuf>,
    pub line: Option<u32>,
    /// Unified diff; always `None` while `trust` is `Hint`.
    pub patch: Option<String>,
}
