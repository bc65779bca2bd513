//! Reads `report.json` of an earlier run.

use super::model::{Report, SCHEMA_VERSION};
use crate::base::error::{Error, Result};
use crate::base::read::read_text;
use std::path::Path;

/// Reads a report with the schema version of this reneri. `next` is the advice if that fails.
///
/// # Errors
/// If there is no report, or it cannot be read.
pub fn read(file: &Path, next: &str) -> Result<Report> {
    let text = read_text(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::usage(format!("There is no report yet: {}.", file.display()), next),
        _ => Error::usage(format!("The report {} cannot be read: {error}.", file.display()), next),
    })?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!("{} is no report that this reneri can read: {error}.", file.display()), next)
    })?;
    if report.schema_version != SCHEMA_VERSION {
        let version = report.schema_version;
        return Err(Error::usage(
            format!("{} has the schema version {version}, and this reneri reads {SCHEMA_VERSION}.", file.display()),
            next,
        ));
    }
    if let Some(id) = report.transformations.iter().map(|entry| &entry.short_id).find(|id| !is_short_id(id)) {
        return Err(Error::usage(format!("{} is no report of reneri: `{id}` is no id.", file.display()), next));
    }
    Ok(report)
}

/// Whether this can be a short id. Patches are named after it, so it must be no path.
fn is_short_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
