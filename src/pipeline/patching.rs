//! From explanations to patches: what an earlier analysis made is handed on where it may hold, and what comes of it is kept for the next one.

use super::observation::Stages;
use super::scratch::scratch_folder;
use crate::base::error::Result;
use crate::base::id::TransformationId;
use crate::classfile::outlines::Outlines;
use crate::diagnose::Diagnosis;
use crate::fix::{self, Attempt, MethodOutcome};
use crate::history::KeptPatches;
use crate::run::Session;
use crate::suggest;
use crate::transform::Transformations;
use std::collections::BTreeMap;

/// Patches of an earlier analysis.
pub(super) struct Patches {
    /// Of methods of which all findings hold still.
    pub held: Vec<KeptPatches>,
    /// Of other methods, those that can be proven anew.
    pub doubtful: Vec<KeptPatches>,
}

impl Patches {
    /// What came of each diagnosis, and the patches that the next analysis may begin with. `left` are JVMs that can go on with other tests.
    pub(super) fn made(
        self,
        stages: &Stages<'_>,
        code: &suggest::Input<'_>,
        outlines: &Outlines,
        diagnoses: &[Diagnosis],
        left: Vec<Session>,
    ) -> Result<(Vec<Attempt>, Vec<KeptPatches>)> {
        let (Some((budget, compilers)), false) =
            (stages.settings.fix_budget.zip(stages.compilers), diagnoses.is_empty())
        else {
            return Ok((attempts(diagnoses, &[]), self.held));
        };
        let stage = stages.terminal.stage("Writing tests that would notice, and proving them", None);
        let scratch = scratch_folder()?;
        let input = fix::Input {
            build: stages.build,
            launches: stages.launches,
            transformations: code.transformations,
            coverage: stages.coverage,
            outlines,
            sources: code.sources,
            compilers,
            budget: budget as usize,
            jobs: stages.jobs(),
            scratch: scratch.path(),
            tell: &|line| stages.terminal.verbose(line),
        };
        let before =
            |all: &[KeptPatches]| all.iter().filter_map(|one| one.fixed(budget, code.transformations)).collect();
        let earlier = fix::EarlierOutcomes { kept: before(&self.held), doubtful: before(&self.doubtful) };
        let fixed = match fix::fix(&input, diagnoses, &earlier, left) {
            Err(error) if error.ends_run() => return Err(error),
            // What is known of the tests is worth telling without patches, too.
            Err(error) => {
                stages.terminal.warn(&format!("No patches could be made. {}", error.what));
                Vec::new()
            }
            Ok(fixed) => fixed,
        };
        stage.finish();
        Ok((attempts(diagnoses, &fixed), kept(budget, self.held, fixed, code.transformations)))
    }
}

/// What came of each diagnosis.
fn attempts(diagnoses: &[Diagnosis], fixed: &[MethodOutcome]) -> Vec<Attempt> {
    let found: BTreeMap<TransformationId, &Attempt> = (fixed.iter().flat_map(|fixed| &fixed.findings))
        .map(|finding| (finding.transformation, &finding.attempt))
        .collect();
    diagnoses.iter().map(|one| found.get(&one.transformation).copied().cloned().unwrap_or_default()).collect()
}

/// What is to be kept: what came of findings now, and what holds still of other methods.
fn kept(
    budget: u32,
    mut held: Vec<KeptPatches>,
    fixed: Vec<MethodOutcome>,
    transformations: &Transformations,
) -> Vec<KeptPatches> {
    held.retain(|held| fixed.iter().all(|fixed| fixed.method != held.method()));
    held.extend(fixed.into_iter().filter_map(|fixed| KeptPatches::new(budget, transformations, fixed)));
    held
}
