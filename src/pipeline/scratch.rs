//! Temporary folders for class files that only one analysis needs.

use crate::base::error::{Error, Result};
use crate::base::run_folder::temporary_folder;
use tempfile::TempDir;

/// Creates a folder that is deleted when the returned value is dropped.
pub(super) fn scratch_folder() -> Result<TempDir> {
    temporary_folder().map_err(|error| {
        let what = format!("A temporary folder could not be made in {}: {error}.", std::env::temp_dir().display());
        Error::of_system(what, &error, "Set TMPDIR to a folder that can be written.")
    })
}
