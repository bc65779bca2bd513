//! The reasons why edited sources are not compiled here.

use crate::base::error::Error;
use crate::base::read::{LONGEST_SOURCE, read_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reason why there are no class files.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Maven might make different class files, for this reason.
    AskMaven(String),
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Refuses for the given reason.
pub(super) fn ask_maven<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::AskMaven(reason.into()))
}

/// Runs a command and returns whether it succeeded.
pub(super) type Run<'a> = &'a mut dyn FnMut(Command) -> Result<bool, Error>;

/// Class files: where they belong, and their bytes.
pub(crate) type ClassFiles = BTreeMap<PathBuf, Vec<u8>>;

pub(super) fn read(file: &Path) -> Result<Vec<u8>, Refusal> {
    read_file(file, LONGEST_SOURCE)
        .map_err(|error| Refusal::AskMaven(format!("{} cannot be read: {error}", file.display())))
}

/// Whether a file is a Java source.
pub(super) fn is_java(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "java")
}
