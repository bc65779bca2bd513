//! `reneri analyze`: analyzes a project and writes the reports.

use super::conclusion::{check_baseline, conclude, read_baseline};
use crate::base::error::{ExitCode, Result};
use crate::base::timings::Since;
use crate::change::{self, Change, Source};
use crate::cli::{Settings, Target};
use crate::code::Sources;
use crate::pipeline;
use crate::report;
use crate::terminal::Terminal;
use crate::transform::Selection;
use std::path::Path;

/// The file with the times of a run.
const TIMINGS: &str = "timings.json";

/// Analyzes the project and writes the reports, and with `--timings` where the time went.
///
/// # Errors
/// Whatever ends an analysis; nothing in the project has changed then.
pub fn run(settings: &Settings, terminal: &Terminal) -> Result<ExitCode> {
    let since = Since::now();
    let code = analyze(settings, terminal)?;
    let folder = &settings.target.output;
    if settings.timings {
        let times = terminal.timings().times(since);
        report::put(folder, TIMINGS, times.json()?)?;
        terminal.summary(&times.table());
    } else {
        report::remove(folder, TIMINGS)?;
    }
    Ok(code)
}

fn analyze(settings: &Settings, terminal: &Terminal) -> Result<ExitCode> {
    // A wrong name or file in the settings is reported before the build, which takes long.
    let selection = &Selection::new(settings.transformations.clone(), settings.disabled_stop_rules.clone())?;
    let change = settings.change.as_ref().map(|source| read_change(source, &settings.target)).transpose()?;
    let baseline = read_baseline(settings)?;
    report::check_place(&settings.target.output, &settings.formats)?;
    let build = &pipeline::build_and_compile_ahead(&settings.target, settings.jobs, terminal)?;
    check_baseline(baseline.as_ref(), build)?;
    if settings.self_check {
        pipeline::self_check(settings, terminal, selection, build)?;
        return Ok(ExitCode::Done);
    }
    let (sources, change) = (&Sources::of(build), change.as_ref());
    let report = pipeline::report(&pipeline::Input { settings, terminal, selection, build, change, sources })?;
    conclude(settings, report, baseline.as_ref(), sources, terminal)
}

fn read_change(source: &Source, target: &Target) -> Result<Change> {
    // With --recipe, the project is where the build wrote the recipe file, whatever --project says.
    let folder = target.recipe.as_deref().and_then(Path::parent).unwrap_or(&target.project);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    change::read(source, &folder)
}
