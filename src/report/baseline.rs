//! Compares a report with an earlier one, the baseline: marks each finding as new or known, and
//! lists those that are gone.

use super::model::{Baseline, BaselineState, Entry, FormerFinding, Report, Status};
use super::read::read;
use crate::base::error::{Error, Result};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

const NEXT: &str =
    "Give --baseline the report.json of an earlier analysis of this project, of the target branch for instance.";
/// The word of `--transformations` that selects every transformation.
const ALL: &str = "all";

/// The report of an earlier analysis.
pub struct BaselineReport {
    /// The file as reports name it, without the folders of one machine.
    file: String,
    report: Report,
}

impl BaselineReport {
    /// Reads the report. `project` is the folder of the project.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(file: &Path, project: &Path) -> Result<Self> {
        let shown = file.strip_prefix(project).ok().or(file.file_name().map(Path::new)).unwrap_or(file);
        Ok(Self { file: shown.display().to_string(), report: read(file, NEXT)? })
    }

    /// Checks that the baseline is a report about the project `name` with these modules. The
    /// project or some of its modules may have been renamed.
    ///
    /// # Errors
    /// If neither the project nor any module has kept its name.
    pub fn check(&self, name: &str, modules: &[&str]) -> Result<()> {
        let project = &self.report.project;
        if project.name == name || project.modules.iter().any(|module| modules.contains(&module.as_str())) {
            return Ok(());
        }
        Err(Error::usage(
            format!("The baseline {} is of another project: {}, and this is {name}.", self.file, project.name),
            NEXT,
        ))
    }
}

/// Marks the open findings as new or known and counts them.
///
/// Returns a sentence for each reason why known findings may be counted as new.
pub fn compare(report: &mut Report, earlier: &BaselineReport) -> Vec<String> {
    let mut earlier_findings: Vec<&Entry> =
        earlier.report.transformations.iter().filter(|entry| entry.status == Status::Undetected).collect();
    let mut waiting: Vec<&mut Entry> =
        report.transformations.iter_mut().filter(|entry| entry.status == Status::Undetected).collect();
    for key in [of_module, of_project, without_numbers] {
        let mut known: BTreeMap<String, VecDeque<&Entry>> = BTreeMap::new();
        for entry in earlier_findings {
            known.entry(key(entry)).or_default().push_back(entry);
        }
        waiting.retain_mut(|entry| match known.get_mut(&key(entry)).and_then(VecDeque::pop_front) {
            Some(_) => {
                entry.baseline_state = Some(BaselineState::Unchanged);
                false
            }
            None => true,
        });
        earlier_findings = known.into_values().flatten().collect();
    }
    waiting.into_iter().for_each(|entry| entry.baseline_state = Some(BaselineState::New));
    // Accepted findings are neither new nor known.
    report.transformations.iter_mut().filter(|entry| !entry.is_open()).for_each(|entry| entry.baseline_state = None);
    let count = |state| report.transformations.iter().filter(|entry| entry.baseline_state == Some(state)).count();
    let mut gone: Vec<FormerFinding> = gone(report, &earlier_findings);
    gone.sort_by(|a, b| (&a.id, &a.module).cmp(&(&b.id, &b.module)));
    report.baseline = Some(Baseline {
        file: earlier.file.clone(),
        new: count(BaselineState::New),
        known: count(BaselineState::Unchanged),
        gone,
    });
    notes(report, earlier)
}

fn of_module(entry: &Entry) -> String {
    format!("{}:{}", entry.module, entry.id)
}

/// Also matches a class that has moved to another module, or a module that was renamed.
fn of_project(entry: &Entry) -> String {
    entry.id.clone()
}

/// Compilers number the lambdas and anonymous classes of a class, so an added one renumbers those
/// that follow. Only the position distinguishes `Stack$1.lambda$push$2` from others of its kind.
/// Therefore only their number can be compared.
fn without_numbers(entry: &Entry) -> String {
    let mut out = String::with_capacity(entry.id.len());
    let mut rest = entry.id.as_str();
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        out.push('$');
        rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

/// The findings of the baseline that this analysis covers and that are no longer findings.
fn gone(report: &Report, findings: &[&Entry]) -> Vec<FormerFinding> {
    let is_whole = report.scope.is_none() && report.shard.is_none() && report.interrupted.is_none();
    let mut now: BTreeMap<String, Status> = BTreeMap::new();
    for entry in &report.transformations {
        now.insert(of_project(entry), entry.status);
        now.insert(of_module(entry), entry.status);
    }
    let was_asked = |entry: &Entry| {
        let names = &report.settings.transformations;
        report.project.modules.contains(&entry.module)
            && names.iter().any(|name| *name == entry.transformation || name == ALL)
    };
    let became = |entry: &Entry| match now.get(&of_module(entry)).or_else(|| now.get(&of_project(entry))) {
        // If only a part was analyzed, the numbers do not say which entry is which.
        Some(_) if !is_whole && without_numbers(entry) != entry.id => None,
        Some(status @ (Status::Detected | Status::TimedOut | Status::NotCovered)) => Some(Some(*status)),
        Some(Status::Undetected | Status::Quarantined | Status::FailedToRun) => None,
        None => (is_whole && was_asked(entry)).then_some(None),
    };
    let gone = |entry: &&Entry| {
        Some(FormerFinding {
            status: became(entry)?,
            id: entry.id.clone(),
            short_id: entry.short_id.clone(),
            class: entry.class.clone(),
            method: entry.method.clone(),
            descriptor: entry.descriptor.clone(),
            transformation: entry.transformation.clone(),
            module: entry.module.clone(),
        })
    };
    findings.iter().filter_map(gone).collect()
}

fn notes(report: &Report, BaselineReport { file, report: earlier }: &BaselineReport) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |what: &str| {
        notes.push(format!("The baseline {file} {what}: findings that it did not look for count as new."));
    };
    if earlier.scope.is_some() {
        note("is of a change, and not of all of the project");
    }
    if earlier.shard.is_some() {
        note("is of one part of an analysis (`reneri merge` makes one of all parts)");
    }
    if earlier.interrupted.is_some() {
        note("is of an analysis that was interrupted");
    }
    let names = |report: &Report| report.settings.transformations.clone();
    let known = names(earlier);
    let missing: Vec<String> = names(report).into_iter().filter(|name| !known.contains(name)).collect();
    if !missing.is_empty() && !known.iter().any(|name| name == ALL) {
        note(&format!("is of an analysis without the transformations {}", missing.join(", ")));
    }
    notes
}

impl Baseline {
    /// `2 new, 3 known, 1 gone`
    #[must_use]
    pub fn counts(&self) -> String {
        let gone = if self.gone.is_empty() { String::new() } else { format!(", {} gone", self.gone.len()) };
        format!("{} new, {} known{gone}", self.new, self.known)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
