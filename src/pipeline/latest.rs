//! Reuses the report of the last analysis if nothing has changed, and keeps the new report otherwise.

use super::analysis::{Input, Previous, analysis, report_new_start};
use crate::base::error::Result;
use crate::base::interrupt;
use crate::base::kept::Unusable;
use crate::history::{History, Kept, State};
use crate::report::Report;
use crate::terminal::Terminal;

/// The report of the current state of the project.
///
/// # Errors
/// The errors that end an analysis.
pub(crate) fn report(input: &Input<'_>) -> Result<Report> {
    let Input { settings, terminal, build, change, .. } = *input;
    let state = || State::of(settings, build, change);
    let history = settings.target.history.then(|| History::of(&build.root, &settings.target.output));
    let now = history.as_ref().and_then(|_| state());
    let last = history.as_ref().and_then(|history| match history.last() {
        Ok(last) => Some(last),
        Err(Unusable::Missing) => None,
        Err(Unusable::Damaged) => dropped(terminal, "is not as it was written"),
        Err(Unusable::Foreign) => dropped(terminal, "is of another version"),
    });
    if let (Some((then, kept)), Some(now)) = (&last, &now)
        && then == now
        && kept.report.interrupted.is_none()
    {
        terminal.remark(
            "Nothing has changed since the last analysis, so this is what it found (--no-history: analyze again).",
        );
        let shown = terminal.warnings();
        kept.warnings.iter().filter(|warning| !shown.contains(warning)).for_each(|warning| terminal.warn(warning));
        return Ok(kept.report.clone());
    }
    if last.as_ref().is_some_and(|(_, kept)| kept.report.interrupted.is_some()) {
        terminal.remark("The last analysis was interrupted, so this one continues with what it found out.");
    }
    let previous = last.zip(now.as_ref()).and_then(|((then, kept), now)| {
        let changes = now.changes_since(&then).inspect_err(|what| report_new_start(terminal, what)).ok()?;
        Some(Previous { changes, kept })
    });
    let (report, past) = analysis(input, previous.as_ref())?;
    // A stage may have gone on without what an interrupt took from it. The report says so if it knows of the interrupt.
    if report.interrupted.is_none() {
        interrupt::check()?;
    }
    // A result belongs to the state at the start, so it is kept only if nobody edited the project meanwhile.
    if let (Some(history), Some(now), Some(past)) = (history, now, past)
        && state().as_ref() == Some(&now)
    {
        history.keep(&now, &Kept { report: report.clone(), warnings: terminal.warnings(), past });
    }
    Ok(report)
}

/// Tells that the kept result cannot be used.
fn dropped<T>(terminal: &Terminal, why: &str) -> Option<T> {
    terminal.remark(&format!("What is kept of the last analysis {why}, so everything is analyzed again."));
    None
}
