//! From a reference of Git or a diff to what it touches: lines of Java files, and from those to methods and tests (`docs/pull-requests.md`).

mod declarations;
mod fit;
mod git;
mod scope;
mod test_classes;
mod touched;
mod unified_diff;

pub use scope::{Roots, Scope, TouchedCode};
pub use test_classes::{TestClassKey, TestClasses};
pub use touched::Touched;

use crate::base::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What `--in-diff` calls standard input.
const STANDARD_INPUT: &str = "-";

/// What tells the change that an analysis is restricted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// From where HEAD left this commit, branch or tag, to the files as they are.
    Since(String),
    /// A unified diff that has led to the files as they are; absolute.
    DiffFile(PathBuf),
    DiffOnStandardInput,
}

impl Source {
    /// As reports name it, without the folders of one machine.
    #[must_use]
    pub fn shown(&self, project: &Path) -> String {
        match self {
            Self::Since(reference) => reference.clone(),
            Self::DiffFile(file) if file.is_file() => {
                let inside = file.strip_prefix(project).ok().filter(|inside| !inside.starts_with(".."));
                inside.or(file.file_name().map(Path::new)).unwrap_or(file).display().to_string()
            }
            // The name of a pipe is another one the next time.
            Self::DiffFile(_) | Self::DiffOnStandardInput => STANDARD_INPUT.to_owned(),
        }
    }
}

/// Whether this value of `--in-diff` means standard input.
#[must_use]
pub fn is_standard_input(file: &Path) -> bool {
    file == Path::new(STANDARD_INPUT)
}

/// The Java files that the change touches: those that are still there. Paths are canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub files: BTreeMap<PathBuf, Touched>,
}

/// Reads the change to the files of the project in `folder`.
///
/// # Errors
/// When there is no such commit, no Git, no such file, or the diff does not fit the files (exit code 5).
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
    fit::fit(&files, folder)
}
