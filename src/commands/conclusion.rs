//! The end of `analyze` and `merge`: compares with the baseline, writes the reports, and decides on
//! the exit code.

use crate::base::error::{Error, ExitCode, Result};
use crate::base::interrupt;
use crate::cli::{FailOn, Settings};
use crate::code::Sources;
use crate::recipe::Build;
use crate::report::{self, BaselineReport, Interrupted, Report};
use crate::terminal::Terminal;
use crate::text::words::count;
use std::path::Path;

/// Reads the baseline that the settings name.
pub(super) fn read_baseline(settings: &Settings) -> Result<Option<BaselineReport>> {
    settings.baseline.as_ref().map(|file| BaselineReport::read(file, &settings.target.project)).transpose()
}

/// Checks that the baseline is a report about this build.
pub(super) fn check_baseline(baseline: Option<&BaselineReport>, build: &Build) -> Result<()> {
    let Some(baseline) = baseline else { return Ok(()) };
    let modules: Vec<&str> = build.modules.iter().map(|module| module.name.as_str()).collect();
    baseline.check(&build.project, &modules)
}

/// Marks the findings that the project accepts and those that are new, writes the report, and shows
/// its summary.
pub(super) fn conclude(
    settings: &Settings,
    mut report: Report,
    baseline: Option<&BaselineReport>,
    sources: &Sources,
    terminal: &Terminal,
) -> Result<ExitCode> {
    let everything = settings.target.modules.is_empty()
        && settings.transformations.is_none()
        && report.scope.is_none()
        && report.shard.is_none()
        && report.interrupted.is_none();
    for note in report::accept(&mut report, &settings.accept, report::today(), everything) {
        terminal.warn(&note);
    }
    if let Some(baseline) = baseline {
        report::compare(&mut report, baseline).iter().for_each(|note| terminal.warn(note));
    }
    if report.interrupted.is_none() {
        interrupt::check()?;
    }
    let written = report::write(&report, sources, &settings.target.output, &settings.formats)?;
    if let Some(interrupted) = report.interrupted {
        if let Some(annotations) = &written.annotations {
            terminal.output(annotations);
        }
        return Err(interrupted_with(interrupted, &report, &shown_path(&written.markdown)));
    }
    terminal.summary(&report::summary(&report, &shown_path(&written.markdown)));
    if let Some(annotations) = &written.annotations {
        terminal.output(annotations);
    }
    Ok(exit_code(settings, &report, terminal))
}

/// The end of an interrupted analysis: how far it came, and where its report is.
fn interrupted_with(interrupted: Interrupted, report: &Report, file: &str) -> Error {
    let Interrupted { tried, of_transformations, .. } = interrupted;
    let what = format!(
        "Interrupted: {tried} of {} tried, {} of them undetected.",
        count(of_transformations as u64, "change"),
        report.summary.undetected
    );
    let next = format!("What is known is in {file}. The next analysis with the same options continues from there.");
    Error::interrupted_with(what, next)
}

/// Decides whether the undetected transformations fail the run, as `--max-undetected` and
/// `--fail-on` say.
fn exit_code(settings: &Settings, report: &Report, terminal: &Terminal) -> ExitCode {
    let open = report.open();
    let fails = match (settings.max_undetected, settings.fail_on) {
        (Some(most), _) if open > most => {
            terminal.remark(&format!("--max-undetected {most}: {open} are undetected and not accepted."));
            true
        }
        (Some(_), _) | (None, FailOn::None) => false,
        (None, FailOn::Any) => open > 0,
        (None, FailOn::New) => report.baseline.as_ref().is_none_or(|baseline| baseline.new > 0),
    };
    if fails { ExitCode::Findings } else { ExitCode::Done }
}

/// The path as the person who started reneri would type it.
fn shown_path(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
