//! Writes `report.json`, for programs. `report.schema.json` describes it.

use super::model::Report;
use crate::base::error::{Error, Result};

/// The JSON Schema (2020-12) of `report.json`.
pub const SCHEMA: &str = include_str!("report.schema.json");

/// Renders the report, indented and with a newline at the end.
///
/// # Errors
/// Only if reneri has a bug.
pub fn json(report: &Report) -> Result<String> {
    let mut text = serde_json::to_string_pretty(report)
        .map_err(|error| Error::bug(format!("The report cannot be written as JSON: {error}.")))?;
    text.push('\n');
    Ok(text)
}
