//! Searches for patches for the diagnoses. Passes the patches of the last analysis that may still hold
//! to the search, and collects the results for the next analysis.

use super::observation::Stages;
use super::scratch::scratch_folder;
use crate::base::error::Result;
use crate::base::id::TransformationId;
use crate::base::interrupt;
use crate::classfile::outlines::Outlines;
use crate::diagnose::Diagnosis;
use crate::fix::{self, Attempt, MethodOutcome};
use crate::history::KeptPatches;
use crate::run::Pool;
use crate::suggest;
use crate::transform::Transformations;
use std::collections::BTreeMap;

/// Patches of the last analysis.
pub(super) struct Patches {
    /// Patches of methods whose findings all still hold.
    pub valid: Vec<KeptPatches>,
    /// Patches of other methods, if they can be verified again.
    pub doubtful: Vec<KeptPatches>,
}

impl Patches {
    /// Searches for patches. Returns an attempt for each diagnosis, and the patches that the next
    /// analysis may reuse. After an interrupt, they are those of the last analysis.
    pub(super) fn search(
        self,
        stages: &Stages<'_>,
        code: &suggest::Input<'_>,
        outlines: &Outlines,
        diagnoses: &[Diagnosis],
        pool: &Pool,
    ) -> Result<(Vec<Attempt>, Vec<KeptPatches>)> {
        let (Some((budget, compilers)), false) =
            (stages.settings.fix_budget.zip(stages.compilers), diagnoses.is_empty())
        else {
            return Ok((attempts(diagnoses, &[]), self.valid));
        };
        if interrupt::is_interrupted() {
            return Ok(self.without_search(budget, code, diagnoses));
        }
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
            pool,
            scratch: scratch.path(),
            tell: &|line| stages.terminal.verbose(line),
        };
        let outcomes = |patches: &[KeptPatches]| {
            patches.iter().filter_map(|patches| patches.fixed(budget, code.transformations)).collect()
        };
        let earlier = fix::EarlierOutcomes { kept: outcomes(&self.valid), doubtful: outcomes(&self.doubtful) };
        let fixed = fix::fix(&input, diagnoses, &earlier);
        // A killed JVM or compiler may have made the search fail.
        if interrupt::is_interrupted() {
            return Ok(self.without_search(budget, code, diagnoses));
        }
        let fixed = match fixed {
            Err(error) if interrupt::ends_run(&error) => return Err(error),
            // The findings are worth reporting without patches, too.
            Err(error) => {
                stages.terminal.warn(&format!("No patches could be made. {}", error.what));
                Vec::new()
            }
            Ok(fixed) => fixed,
        };
        stage.finish();
        Ok((attempts(diagnoses, &fixed), patches_to_keep(budget, self.valid, fixed, code.transformations)))
    }

    /// The patches of the last analysis that hold. Those that have to be proven again are kept for the next one.
    fn without_search(
        self,
        budget: u32,
        code: &suggest::Input<'_>,
        diagnoses: &[Diagnosis],
    ) -> (Vec<Attempt>, Vec<KeptPatches>) {
        let Self { valid, doubtful } = self;
        let holding: Vec<MethodOutcome> =
            valid.iter().filter_map(|patches| patches.fixed(budget, code.transformations)).collect();
        let doubtful = doubtful.into_iter().map(KeptPatches::doubted);
        (attempts(diagnoses, &holding), valid.into_iter().chain(doubtful).collect())
    }
}

/// The attempt for each diagnosis.
fn attempts(diagnoses: &[Diagnosis], fixed: &[MethodOutcome]) -> Vec<Attempt> {
    let found: BTreeMap<TransformationId, &Attempt> = (fixed.iter().flat_map(|fixed| &fixed.findings))
        .map(|finding| (finding.transformation, &finding.attempt))
        .collect();
    let attempt = |diagnosis: &Diagnosis| found.get(&diagnosis.transformation).copied().cloned();
    diagnoses.iter().map(|diagnosis| attempt(diagnosis).unwrap_or_default()).collect()
}

/// The new patches, and the valid ones of methods without new patches.
fn patches_to_keep(
    budget: u32,
    mut valid: Vec<KeptPatches>,
    fixed: Vec<MethodOutcome>,
    transformations: &Transformations,
) -> Vec<KeptPatches> {
    valid.retain(|patches| fixed.iter().all(|fixed| fixed.method != patches.method()));
    valid.extend(fixed.into_iter().filter_map(|fixed| KeptPatches::new(budget, transformations, fixed)));
    valid
}
