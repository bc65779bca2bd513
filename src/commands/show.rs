//! `reneri show`: prints a finding of the last report on the terminal.

use crate::base::did_you_mean::nearest;
use crate::base::error::{Error, ExitCode, Result};
use crate::cli::ShowSettings;
use crate::report::{self, Report};
use crate::terminal::Terminal;

/// Most alternatives that are named if the requested transformation does not exist.
const NAMED: usize = 5;

/// Prints the finding.
///
/// # Errors
/// If there is no report yet, it cannot be read, or it has no such transformation; the error gives
/// the nearest ones.
pub fn run(wanted: &ShowSettings, terminal: &Terminal) -> Result<ExitCode> {
    let next = "Start `reneri analyze`, which writes it; with --output, give the same folder to both.";
    let report = report::read(&wanted.output.join("report.json"), next)?;
    let entries = report::find(&report, &wanted.id);
    if entries.is_empty() {
        return Err(unknown(&report, &wanted.id));
    }
    let texts = entries.into_iter().map(|entry| report::single(&report, entry)).collect::<Result<Vec<_>>>()?;
    terminal.document(&texts.join("\n"));
    Ok(ExitCode::Done)
}

/// The error for an unknown transformation, with the nearest ones.
pub(crate) fn unknown(report: &Report, id: &str) -> Error {
    let what = format!("The last report has no transformation `{id}`.");
    let ids = report::ids(report);
    let part = id.to_lowercase();
    let holds = |(short, long): &&(&str, &str)| short.contains(&part) || long.to_lowercase().contains(&part);
    let mut alike: Vec<(&str, &str)> = ids.iter().filter(holds).copied().collect();
    if alike.is_empty() {
        let names: Vec<&str> = ids.iter().flat_map(|(short, long)| [*short, *long]).collect();
        let nearest = nearest(id, &names);
        alike = ids.iter().filter(|(short, long)| nearest.contains(short) || nearest.contains(long)).copied().collect();
    }
    if alike.is_empty() {
        return Error::usage(what, "report.md shows ids, behind the word \"Finding\".");
    }
    let more = alike.len().saturating_sub(NAMED);
    let lines: String = alike.iter().take(NAMED).map(|(short, long)| format!("\n  {short}  {long}")).collect();
    let more = if more == 0 { String::new() } else { format!("\n  and {more} more") };
    Error::usage(
        what,
        format!("Nearest to it:{lines}{more}\nreport.md shows the short ids, behind the word \"Finding\"."),
    )
}
