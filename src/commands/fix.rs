//! `reneri fix`: prints patches of the last report, or applies them to the test sources.

use crate::base::error::{Error, ExitCode, Result};
use crate::cli::FixSettings;
use crate::commands::show::unknown;
use crate::fix::apply::{Asked, Placing, destination, place, source};
use crate::fix::edit::{self, Edit};
use crate::pipeline::{self, PatchToProve};
use crate::recipe::Build;
use crate::report::model::{Entry, Fix, Report, Suggestion};
use crate::report::{self, open_entries};
use crate::suggest::Trust;
use crate::terminal::Terminal;
use crate::text::encoding::{Decoded, SourceEncoding};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prints patches, or proves them again and applies those that hold.
///
/// A patch that has no place in its source, clashes with another one or does not hold is named and
/// left out; then the exit code is 2.
///
/// # Errors
/// If there is no report, no such finding, or no patch for it, and whatever would end an analysis.
/// Also if a test source cannot be written.
pub fn run(fixing: &FixSettings, terminal: &Terminal) -> Result<ExitCode> {
    let next = "Patches come with an analysis: `reneri analyze`.";
    let report = report::read(&fixing.target.output.join("report.json"), next)?;
    let patches = select_patches(&report, fixing.ids.as_deref(), terminal)?;
    if patches.is_empty() {
        terminal.remark("The last report has no verified patch.");
        return Ok(ExitCode::Done);
    }
    let (mut files, refused) = placed(fixing, patches);
    if fixing.apply && files.iter().any(|file| file.count() > 0) {
        let build = pipeline::build(&fixing.target, terminal)?;
        leave_out_other_files(&build, &mut files);
        prove(fixing, &build, &mut files, terminal)?;
    }
    let mut is_whole = refused.is_empty();
    for (id, because) in refused {
        terminal.warn(&format!("The patch of {id} is left out: {because}."));
    }
    for file in &files {
        for (patch, state) in &file.patches {
            match state {
                State::Placed(_) => {}
                State::Present => terminal.remark(&format!("{} has the patch of {} already.", file.name, patch.id)),
                State::LeftOut(because) => {
                    is_whole = false;
                    terminal.warn(&format!("The patch of {} is left out: {because}.", patch.id));
                }
            }
        }
    }
    show_or_write(&files, fixing.apply, terminal)?;
    Ok(if is_whole { ExitCode::Done } else { ExitCode::Findings })
}

/// A test source with patches.
struct PatchedFile<'r> {
    /// Relative to the project.
    name: &'r str,
    path: PathBuf,
    before: Decoded,
    patches: Vec<(FindingPatch<'r>, State)>,
}

/// The result of placing and proving a patch.
enum State {
    Placed(Vec<Edit>),
    Present,
    /// Not applied, for this reason.
    LeftOut(String),
}

impl PatchedFile<'_> {
    /// The text with all patches that are placed.
    fn after(&self) -> Result<String> {
        let mut edits: Vec<Edit> = Vec::new();
        for edit in self.patches.iter().flat_map(|(_, state)| state.edits()) {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
        edit::apply(&self.before.text, &edits)
            .ok_or_else(|| Error::bug(format!("The patches of {} change the same lines.", self.name)))
    }

    fn count(&self) -> usize {
        self.patches.iter().filter(|(_, state)| matches!(state, State::Placed(_))).count()
    }
}

impl State {
    fn edits(&self) -> &[Edit] {
        match self {
            Self::Placed(edits) => edits,
            Self::Present | Self::LeftOut(_) => &[],
        }
    }
}

/// Reads the sources, and places each patch in its source as it is now. Returns the ids of patches for files that no
/// patch may change, with the reason.
fn placed<'r>(fixing: &FixSettings, patches: Vec<FindingPatch<'r>>) -> (Vec<PatchedFile<'r>>, Vec<(&'r str, String)>) {
    let mut by_file: BTreeMap<&str, Vec<FindingPatch<'r>>> = BTreeMap::new();
    for patch in patches {
        by_file.entry(patch.file).or_default().push(patch);
    }
    let (mut files, mut refused) = (Vec::new(), Vec::new());
    for (name, patches) in by_file {
        let read = destination::source_in(&fixing.target.project, name).and_then(|path| {
            let bytes = std::fs::read(&path).map_err(|error| format!("{name} cannot be read: {error}"))?;
            Ok((path, bytes))
        });
        let (path, bytes) = match read {
            Ok(read) => read,
            Err(because) => {
                refused.extend(patches.iter().map(|patch| (patch.id, because.clone())));
                continue;
            }
        };
        let encoding = patches.first().and_then(|patch| patch.fix.encoding.as_deref());
        let before =
            encoding.map_or_else(SourceEncoding::default, |name| SourceEncoding::of(Some(name), 0)).decode(&bytes);
        let mut file = PatchedFile { name, path, before, patches: Vec::new() };
        for patch in patches {
            let state = state_of(&file, &patch);
            file.patches.push((patch, state));
        }
        files.push(file);
    }
    (files, refused)
}

/// Leaves out the patches of files that are no test sources of the build.
fn leave_out_other_files(build: &Build, files: &mut [PatchedFile<'_>]) {
    let roots: Vec<&PathBuf> = build.recipes.iter().flat_map(|recipe| &recipe.test_source_roots).collect();
    for file in files.iter_mut().filter(|file| !destination::is_below(&file.path, roots.iter().copied())) {
        for (_, state) in &mut file.patches {
            *state = State::LeftOut(format!("{} is in no folder of test sources", file.name));
        }
    }
}

/// The place of one more patch in a file.
fn state_of(file: &PatchedFile<'_>, patch: &FindingPatch<'_>) -> State {
    let Some(source) = source(&file.path, file.before.text.clone()) else {
        return State::LeftOut(format!("{} cannot be read as Java", file.name));
    };
    let edits = match place(&source, Asked { diff: patch.diff, test: &patch.fix.test }) {
        Placing::Edits(edits) => edits,
        Placing::Present => return State::Present,
        Placing::Nowhere(why) => return State::LeftOut(why),
    };
    for (other, state) in &file.patches {
        let clashes = |edit: &Edit| {
            state.edits().iter().any(|known| known != edit && known.start < edit.end && edit.start < known.end)
        };
        if edits.iter().any(clashes) {
            return State::LeftOut(format!("it changes the same code as the patch of {}", other.id));
        }
    }
    State::Placed(edits)
}

/// Proves the verified patches that are placed, and leaves out those that do not hold. A draft, which
/// is applied only on request, has no proof.
fn prove(fixing: &FixSettings, build: &Build, files: &mut [PatchedFile<'_>], terminal: &Terminal) -> Result<()> {
    let mut to_prove: Vec<PatchToProve> = Vec::new();
    let mut states: Vec<&mut State> = Vec::new();
    for file in files {
        for (patch, state) in &mut file.patches {
            if patch.trust == Trust::Verified
                && let State::Placed(edits) = state
            {
                to_prove.push(patch.to_prove(&file.path, edits.clone()));
                states.push(state);
            }
        }
    }
    if to_prove.is_empty() {
        return Ok(());
    }
    let doubts = pipeline::prove_patches(&fixing.target, terminal, build, &to_prove)?;
    for (state, doubt) in states.into_iter().zip(doubts) {
        if let Some(because) = doubt {
            *state = State::LeftOut(because);
        }
    }
    Ok(())
}

fn show_or_write(files: &[PatchedFile<'_>], apply: bool, terminal: &Terminal) -> Result<()> {
    let mut changes = Vec::new();
    for file in files.iter().filter(|file| file.count() > 0) {
        let after = file.after()?;
        let bytes = file.before.form.encode(&after).ok_or_else(|| {
            Error::usage(
                format!("{} has an encoding that lacks a character of its patches.", file.name),
                "Analyze again: `reneri analyze` makes patches for the encoding of the project.",
            )
        })?;
        changes.push((file, after, bytes));
    }
    if !apply {
        let diffs = changes.iter().map(|(file, after, _)| edit::diff(file.name, &file.before.text, after));
        let diffs: String = diffs.collect();
        if !diffs.is_empty() {
            terminal.output(diffs.trim_end_matches('\n'));
        }
        return Ok(());
    }
    for (file, _, bytes) in changes {
        replace(&file.path, &bytes)?;
        let noun = if file.count() == 1 { "patch" } else { "patches" };
        terminal.output(&format!("{}: {} {noun} applied", file.name, file.count()));
    }
    Ok(())
}

/// Replaces a file atomically: the old content stays until the new one is complete.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let unwritable = |error: &std::io::Error| {
        let what = format!("{} cannot be written: {error}.", path.display());
        Error::of_system(what, error, "Check the permissions of its folder.")
    };
    let is_moved = || std::io::Error::other("a link leads to it now");
    if path.canonicalize().map_err(|error| unwritable(&error))? != path {
        return Err(unwritable(&is_moved()));
    }
    let folder = path.parent().ok_or_else(|| unwritable(&is_moved()))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| unwritable(&error))?;
    std::io::Write::write_all(&mut file, bytes).map_err(|error| unwritable(&error))?;
    let permissions = std::fs::metadata(path).map_err(|error| unwritable(&error))?.permissions();
    std::fs::set_permissions(file.path(), permissions).map_err(|error| unwritable(&error))?;
    file.persist(path).map_err(|error| unwritable(&error.error))?;
    Ok(())
}

/// A patch of a finding.
struct FindingPatch<'r> {
    id: &'r str,
    /// The long id.
    closes: &'r str,
    /// The file, relative to the project.
    file: &'r str,
    diff: &'r str,
    trust: Trust,
    fix: &'r Fix,
}

impl<'r> FindingPatch<'r> {
    fn of(entry: &'r Entry, suggestion: &'r Suggestion) -> Option<Self> {
        Some(Self {
            id: &entry.short_id,
            closes: &entry.id,
            file: suggestion.file.as_deref()?,
            diff: suggestion.patch.as_deref()?,
            trust: suggestion.trust,
            fix: suggestion.fix.as_ref()?,
        })
    }

    fn to_prove(&self, file: &Path, edits: Vec<Edit>) -> PatchToProve {
        PatchToProve {
            file: file.to_path_buf(),
            edits,
            test: self.fix.test.rsplit('.').next().unwrap_or_default().to_owned(),
            test_classes: self.fix.test_classes.iter().cloned().collect(),
            closes: self.fix.also_closes.iter().map(String::as_str).chain([self.closes]).map(str::to_owned).collect(),
        }
    }
}

/// The patches of these findings; without ids all verified ones. A patch that closes several
/// findings is returned once.
fn select_patches<'r>(
    report: &'r Report,
    ids: Option<&[String]>,
    terminal: &Terminal,
) -> Result<Vec<FindingPatch<'r>>> {
    let best_patch =
        |entry: &'r Entry| entry.suggestions.iter().find_map(|suggestion| FindingPatch::of(entry, suggestion));
    let mut patches: Vec<FindingPatch<'r>> = Vec::new();
    let add = |patch: FindingPatch<'r>, patches: &mut Vec<FindingPatch<'r>>| {
        if !patches.iter().any(|known| known.file == patch.file && known.diff == patch.diff) {
            patches.push(patch);
        }
    };
    let Some(ids) = ids else {
        for patch in open_entries(report).into_iter().filter_map(best_patch) {
            if patch.trust == Trust::Verified {
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
        for patch in entries.into_iter().filter_map(best_patch) {
            has_patch = true;
            if patch.trust == Trust::Draft {
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
