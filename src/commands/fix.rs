//! `reneri fix`: prints patches of the last report, or applies them to the test sources.

use crate::base::error::{Error, ExitCode, Result};
use crate::cli::FixSettings;
use crate::commands::show::unknown;
use crate::fix::edit;
use crate::report::model::{Entry, Fix, Report, Suggestion};
use crate::report::{self, open_entries};
use crate::suggest::Trust;
use crate::terminal::Terminal;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Prints patches or applies them.
///
/// # Errors
/// If there is no report, no such finding, or no patch for it. Also if a test source has changed or
/// cannot be written; then nothing is written.
pub fn run(fixing: &FixSettings, terminal: &Terminal) -> Result<ExitCode> {
    let next = "Patches come with an analysis: `reneri analyze`.";
    let report = report::read(&fixing.output.join("report.json"), next)?;
    let patches = select_patches(&report, fixing.ids.as_deref(), terminal)?;
    if patches.is_empty() {
        terminal.remark("The last report has no verified patch.");
        return Ok(ExitCode::Done);
    }
    let mut by_file: BTreeMap<&str, Vec<&FindingPatch<'_>>> = BTreeMap::new();
    for patch in &patches {
        by_file.entry(patch.file).or_default().push(patch);
    }
    let mut changed = Vec::new();
    for (file, patches) in by_file {
        let path = fixing.project.join(file);
        let before = std::fs::read(&path).map_err(|error| {
            Error::usage(format!("{file} cannot be read: {error}."), "Analyze again: `reneri analyze`.")
        })?;
        let content: String = Sha256::digest(&before).iter().map(|byte| format!("{byte:02x}")).collect();
        if patches.iter().any(|patch| patch.fix.content != content) {
            return Err(Error::usage(
                format!("{file} is not as it was when it was analyzed, so its patches may not fit."),
                "Analyze again: `reneri analyze` makes patches for what is there now.",
            ));
        }
        let text =
            String::from_utf8(before).map_err(|_| Error::bug(format!("{file} is no UTF-8, and has a patch.")))?;
        let diffs: Vec<&str> = patches.iter().map(|patch| patch.diff).collect();
        let after = edit::combine(&text, &diffs).map_err(|index| {
            let id = patches.get(index).map_or("", |patch| patch.id);
            Error::usage(
                format!("The patch of {id} changes the same lines of {file} as another one."),
                "Apply one of them, and analyze again.",
            )
        })?;
        changed.push((file, path, text, after, patches.len()));
    }
    if fixing.apply {
        for (file, path, _, after, patches) in &changed {
            replace(path, after)?;
            let noun = if *patches == 1 { "patch" } else { "patches" };
            terminal.output(&format!("{file}: {patches} {noun} applied"));
        }
        return Ok(ExitCode::Done);
    }
    let diffs = changed.iter().map(|(file, _, before, after, _)| edit::diff(file, before, after));
    terminal.output(diffs.collect::<String>().trim_end_matches('\n'));
    Ok(ExitCode::Done)
}

/// Replaces a file atomically: the old text stays until the new one is complete.
fn replace(path: &Path, text: &str) -> Result<()> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Error::usage(format!("{} cannot be written: {error}.", path.display()), "Check the permissions of its folder.")
    };
    let folder = path.parent().ok_or_else(|| unwritable(&"it has no folder"))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| unwritable(&error))?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| unwritable(&error))?;
    let permissions = std::fs::metadata(path).map_err(|error| unwritable(&error))?.permissions();
    std::fs::set_permissions(file.path(), permissions).map_err(|error| unwritable(&error))?;
    file.persist(path).map_err(|error| unwritable(&error.error))?;
    Ok(())
}

/// A patch of a finding.
struct FindingPatch<'r> {
    id: &'r str,
    /// The file, relative to the project.
    file: &'r str,
    diff: &'r str,
    fix: &'r Fix,
}

impl<'r> FindingPatch<'r> {
    fn of(entry: &'r Entry, suggestion: &'r Suggestion) -> Option<Self> {
        Some(Self {
            id: &entry.short_id,
            file: suggestion.file.as_deref()?,
            diff: suggestion.patch.as_deref()?,
            fix: suggestion.fix.as_ref()?,
        })
    }
}

/// The patches of these findings; without ids all verified ones. A patch that closes several
/// findings is returned once.
fn select_patches<'r>(
    report: &'r Report,
    ids: Option<&[String]>,
    terminal: &Terminal,
) -> Result<Vec<FindingPatch<'r>>> {
    let best_patch = |entry: &'r Entry| {
        entry.suggestions.iter().find_map(|suggestion| Some((suggestion.trust, FindingPatch::of(entry, suggestion)?)))
    };
    let mut patches: Vec<FindingPatch<'r>> = Vec::new();
    let add = |patch: FindingPatch<'r>, patches: &mut Vec<FindingPatch<'r>>| {
        if !patches.iter().any(|known| known.file == patch.file && known.diff == patch.diff) {
            patches.push(patch);
        }
    };
    let Some(ids) = ids else {
        for entry in open_entries(report) {
            if let Some((Trust::Verified, patch)) = best_patch(entry) {
                add(patch, &mut patches);
            }
        }
        return Ok(patches);
    };
    for id in ids {
        let entries = report::find(report, id);
        if entries.is_empty() {
            return Err(unknown(report, id));
        }
        let mut has_patch = false;
        for (trust, patch) in entries.into_iter().filter_map(best_patch) {
            has_patch = true;
            if trust == Trust::Draft {
                let because = patch.fix.because.as_deref().unwrap_or("it is not proven");
                terminal.warn(&format!("The patch of {id} is a draft: {because}."));
            }
            add(patch, &mut patches);
        }
        if !has_patch {
            return Err(Error::usage(
                format!("There is no patch of {id}."),
                format!("`reneri show {id}` says in words what to write."),
            ));
        }
    }
    Ok(patches)
}
