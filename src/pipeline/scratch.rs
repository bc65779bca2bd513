//! Temporary folders for class files that only one analysis needs.

use crate::base::error::{Error, Result};
use tempfile::TempDir;

/// Creates a folder that is deleted when the returned value is dropped.
pub(super) fn scratch_folder() -> Result<TempDir> {
    tempfile::Builder::new().prefix("reneri-").tempdir().map_err(|error| {
        Error::usage(
            format!("A temporary folder could not be made: {error}."),
            "Make room, or set TMPDIR to a folder that can be written.",
        )
    })
}
