//! The results of all stages, from which a report is assembled.

use super::model::{Probes, Scope, Settings, Shard};
use crate::base::id::{IdSlice, ModuleId, TestId, TransformationId};
use crate::code::Sources;
use crate::cover::Coverage;
use crate::detect::Verdict;
use crate::diagnose::Diagnosis;
use crate::fix::Attempt;
use crate::suggest::Suggestion;
use crate::text::words;
use crate::transform::Transformations;
use std::path::Path;

/// The results of all stages.
#[derive(Clone, Copy)]
pub struct Findings<'a> {
    /// The project's name for people.
    pub project: &'a str,
    /// Module names, in the order in which modules are numbered.
    pub modules: &'a IdSlice<ModuleId, String>,
    pub settings: &'a Settings,
    /// `None` if the whole project was analyzed.
    pub scope: Option<&'a Scope>,
    /// `None` if everything in scope was analyzed.
    pub shard: Option<Shard>,
    pub sources: &'a Sources,
    pub transformations: &'a Transformations,
    pub coverage: &'a Coverage,
    /// One for each transformation.
    pub verdicts: &'a IdSlice<TransformationId, Verdict>,
    /// One for each undetected transformation, in any order.
    pub diagnoses: &'a [Diagnosis],
    /// One list for each diagnosis.
    pub suggestions: &'a [Vec<Suggestion>],
    /// One for each diagnosis; empty if no patches were requested.
    pub attempts: &'a [Attempt],
    /// `None` if no test was instrumented because everything was detected.
    pub probes: Option<&'a Probes>,
}

impl Findings<'_> {
    pub(super) fn test_name(&self, test: TestId) -> String {
        self.coverage.full_name(test).unwrap_or_default()
    }

    pub(super) fn relative(&self, file: Option<&Path>) -> Option<String> {
        self.sources.relative(file?)
    }

    pub(super) fn steady(&self, text: &str) -> String {
        words::steady(text, &self.sources.base_directory.to_string_lossy())
    }
}
