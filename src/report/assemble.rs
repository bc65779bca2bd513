//! Assembles the results of all stages into one report: names instead of indices, paths relative to
//! the project, and counts.

use super::entry::entry;
use super::findings::Findings;
use super::identity;
use super::model::{LeftOut, Probes, Project, Reason, Report, SCHEMA_VERSION, Summary, Tests, Tool};
use super::patch_suggestion::{in_vain_text, patch_suggestion};
use crate::base::error::{Error, Result};
use crate::base::id::TransformationId;
use crate::code::Sources;
use crate::cover::Quarantined;
use crate::fix::{Attempt, Patch};
use crate::instrument::Instrumented;
use crate::text::words;

/// Assembles the report.
///
/// # Errors
/// Only if reneri has a bug: if the parts do not belong together.
pub fn assemble(findings: &Findings<'_>) -> Result<Report> {
    let total = findings.transformations.transformations.len();
    if findings.verdicts.len() != total || findings.diagnoses.len() != findings.suggestions.len() {
        return Err(Error::bug(format!(
            "The parts of the report do not belong together: {total} transformations with {} verdicts, {} diagnoses with {} lists of suggestions.",
            findings.verdicts.len(),
            findings.diagnoses.len(),
            findings.suggestions.len()
        )));
    }
    let mut entries = Vec::with_capacity(total);
    for ((id, transformation), verdict) in
        findings.transformations.transformations.iter_enumerated().zip(findings.verdicts)
    {
        let method = &findings.transformations.methods[transformation.method];
        let number =
            findings.diagnoses.iter().position(|diagnosis| diagnosis.transformation == id && verdict.is_undetected());
        let diagnosis = number.and_then(|number| findings.diagnoses.get(number).zip(findings.suggestions.get(number)));
        let mut entry = entry(findings, method, transformation, verdict, diagnosis);
        match number.and_then(|number| findings.attempts.get(number)) {
            Some(Attempt { patch: Some(patch), .. }) => {
                let others = findings_with(findings, patch, id);
                let behind = usize::from(patch.is_last_resort()).min(entry.suggestions.len());
                entry.suggestions.insert(behind, patch_suggestion(findings, patch, &others));
            }
            Some(Attempt { in_vain: Some(search), .. }) => {
                if let Some(first) = entry.suggestions.first_mut() {
                    first.text.push_str(&in_vain_text(search));
                }
            }
            _ => {}
        }
        entries.push(entry);
    }
    identity::fill_in(&mut entries);
    Ok(Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        project: Project { name: findings.project.to_owned(), modules: findings.modules.raw.to_vec() },
        settings: findings.settings.clone(),
        scope: findings.scope.cloned(),
        shard: findings.shard,
        interrupted: None,
        tests: tests(findings),
        summary: Summary {
            methods: findings.transformations.transformed_methods(),
            stopped: findings.transformations.stopped.len(),
            ..Summary::of(&entries)
        },
        baseline: None,
        transformations: entries,
    })
}

/// The other transformations, of whatever method, that the same patch closes.
fn findings_with(findings: &Findings<'_>, patch: &Patch, own: TransformationId) -> Vec<TransformationId> {
    let mut others = patch.also_closes.clone();
    for (diagnosis, attempt) in findings.diagnoses.iter().zip(findings.attempts) {
        let id = diagnosis.transformation;
        let has_patch =
            attempt.patch.as_ref().is_some_and(|other| (&other.file, &other.diff) == (&patch.file, &patch.diff));
        if has_patch && id != own && !others.contains(&id) {
            others.push(id);
        }
    }
    others
}

fn tests(findings: &Findings<'_>) -> Tests {
    let names = |quarantined: &[Quarantined]| {
        let mut names: Vec<String> = quarantined.iter().map(|test| findings.test_name(test.test)).collect();
        names.sort_unstable();
        names
    };
    let coverage = findings.coverage;
    let mut reasons: Vec<Reason> = coverage
        .failing
        .iter()
        .chain(&coverage.unstable)
        .map(|test| Reason { test: findings.test_name(test.test), reason: findings.steady(&test.reason) })
        .collect();
    reasons.sort_by(|a, b| (&a.test, &a.reason).cmp(&(&b.test, &b.reason)));
    Tests {
        total: coverage.tests.len(),
        failing: names(&coverage.failing),
        unstable: names(&coverage.unstable),
        reasons,
        probes: findings.probes.cloned(),
    }
}

/// How closely the tests are observed.
#[must_use]
pub fn probes(instrumented: &Instrumented, sources: &Sources) -> Probes {
    let mut left_out: Vec<LeftOut> = instrumented
        .left_out
        .iter()
        .map(|(file, reason)| LeftOut {
            file: sources.relative(file).unwrap_or_else(|| "(outside of the project)".to_owned()),
            reason: words::steady(reason, &sources.base_directory.to_string_lossy()),
        })
        .collect();
    left_out.sort_by(|a, b| a.file.cmp(&b.file));
    let counts = instrumented.counts;
    Probes { wrapped: counts.wrapped, by_rule: counts.by_rule, refused: counts.refused, left_out }
}
