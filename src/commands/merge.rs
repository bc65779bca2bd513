//! `reneri merge`: combines the reports of all shards of one analysis.

use super::conclusion::{check_baseline, conclude, read_baseline};
use crate::base::error::{ExitCode, Result};
use crate::cli::Settings;
use crate::code::Sources;
use crate::pipeline;
use crate::report;
use crate::terminal::Terminal;
use std::path::PathBuf;

/// Combines the reports of all shards and writes the result.
///
/// # Errors
/// If a report cannot be read or is no shard, if a shard is missing, or if the project does not
/// build.
pub fn run(settings: &Settings, reports: &[PathBuf], terminal: &Terminal) -> Result<ExitCode> {
    let next = "Give `reneri merge` the report.json of every part of one analysis, each once.";
    let read = |file: &PathBuf| Ok((file.clone(), report::read(file, next)?));
    let report = report::merge(reports.iter().map(read).collect::<Result<_>>()?)?;
    let baseline = read_baseline(settings)?;
    let build = pipeline::build(&settings.target, terminal)?;
    check_baseline(baseline.as_ref(), &build)?;
    conclude(settings, report, baseline.as_ref(), &Sources::of(&build), terminal)
}
