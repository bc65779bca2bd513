//! From a report to `report.json`, for programs (`report.schema.json` says what may stand in it).

use super::model::Report;
use crate::base::error::{Error, Result};

/// The JSON Schema (2020-12) of `report.json`.
pub const SCHEMA: &str = include_str!("report.schema.json");

/// Pretty-printed, with a newline at the end.
///
/// # Errors
/// Only by a bug of reneri.
pub fn json(report: &Report) -> Result<String> {
    let mut text = serde_json::to_string_pretty(report)
        .map_err(|error| Error::bug(format!("The report cannot be written as JSON: {error}.")))?;
    text.push('\n');
    Ok(text)
}
