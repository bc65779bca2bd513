//! Finds the lines, methods and tests that a change touches. The change is given as a reference of Git
//! or as a diff (`docs/pull-requests.md`).

mod declarations;
mod git;
mod scope;
mod test_classes;
mod touched_lines;
mod tree_match;
mod unified_diff;

pub use scope::{Roots, Scope, TouchedCode};
pub use test_classes::{TestClassKey, TestClasses};
pub use touched_lines::TouchedLines;

use crate::base::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The name of standard input in `--in-diff`.
const STANDARD_INPUT: &str = "-";

/// The source of the change that an analysis is restricted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The change after the newest common commit of HEAD and this commit, branch or tag.
    Since(String),
    /// The absolute path of a unified diff that leads to the current files.
    DiffFile(PathBuf),
    DiffOnStandardInput,
}

impl Source {
    /// The name in reports, without folders of this machine.
    #[must_use]
    pub fn shown(&self, project: &Path) -> String {
        match self {
            Self::Since(reference) => reference.clone(),
            Self::DiffFile(file) if file.is_file() => {
                let inside = file.strip_prefix(project).ok().filter(|inside| !inside.starts_with(".."));
                inside.or(file.file_name().map(Path::new)).unwrap_or(file).display().to_string()
            }
            // The name of a pipe differs in each run.
            Self::DiffFile(_) | Self::DiffOnStandardInput => STANDARD_INPUT.to_owned(),
        }
    }
}

/// Whether this value of `--in-diff` means standard input.
#[must_use]
pub fn is_standard_input(file: &Path) -> bool {
    file == Path::new(STANDARD_INPUT)
}

/// The Java files that the change touches and does not delete. Paths are canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub files: BTreeMap<PathBuf, TouchedLines>,
}

/// Reads a diff without looking at any file. For fuzzing.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_diff(text: &str) {
    let _ = unified_diff::java_files(text);
}

/// Reads the change to the files of the project in `folder`.
///
/// # Errors
/// If Git, the commit or the file does not exist, or if the diff does not match the files (exit code 5).
pub fn read(source: &Source, folder: &Path) -> Result<Change> {
    let (name, bytes) = match source {
        Source::Since(reference) => return git::since(folder, reference),
        Source::DiffFile(file) => (file.display().to_string(), std::fs::read(file)),
        Source::DiffOnStandardInput => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            ("on standard input".to_owned(), read.map(|_| bytes))
        }
    };
    let bytes = bytes.map_err(|error| {
        Error::usage(format!("The diff {name} cannot be read: {error}."), "Give --in-diff a file that can be read.")
    })?;
    let files = unified_diff::java_files(&String::from_utf8_lossy(&bytes)).map_err(|reason| {
        Error::usage(
            format!("The diff {name} cannot be read as a unified diff: {reason}."),
            "Give --in-diff what `git diff` or `diff -u` writes, unchanged.",
        )
    })?;
    tree_match::match_tree(&files, folder)
}
