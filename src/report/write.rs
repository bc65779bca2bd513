//! Writes the files of the output folder, one for each requested format.

use super::elements::elements;
use super::files::Files;
use super::format::Format;
use super::github::github;
use super::gitlab::gitlab;
use super::html::html;
use super::json::json;
use super::markdown::{comment, link_base, markdown};
use super::model::{Entry, Report, Suggestion};
use super::read::read;
use super::sarif::sarif;
use crate::base::error::Result;
use crate::base::output_folder::{LIST, OutputFolder, REPORT};
use crate::code::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The result of writing.
pub struct WrittenReports {
    /// The report for people.
    pub markdown: PathBuf,
    /// Text for standard output, if annotations were requested.
    pub annotations: Option<String>,
}

/// The report for people.
const MARKDOWN: &str = "report.md";
/// The summary for a comment.
const SUMMARY: &str = "summary.md";
/// The folder of the patches.
const PATCHES: &str = "patches/";
/// The folder of a report that must not take the place of a complete one.
const PARTIAL: &str = "partial";
/// Files that every run writes.
const ALWAYS: [&str; 3] = [REPORT, MARKDOWN, SUMMARY];

type Render = fn(&Report, &Files<'_>) -> Result<String>;

/// Files that are written only if their format is requested.
const ON_REQUEST: &[(Format, &str, Render)] = &[
    (Format::Sarif, "report.sarif", sarif),
    (Format::Gitlab, "gl-code-quality.json", gitlab),
    (Format::Html, "report.html", |report, _| html(report)),
    (Format::Elements, "mutation-report.json", elements),
];

/// Checks that the reports in these formats can be written: nobody else has files of these names there.
///
/// # Errors
/// If they cannot.
pub fn check_place(folder: &Path, formats: &[Format]) -> Result<()> {
    if folder.symlink_metadata().is_err() {
        return Ok(());
    }
    let requested = ON_REQUEST.iter().filter(|(format, ..)| formats.contains(format)).map(|(_, name, _)| *name);
    OutputFolder::open(folder)?.check(ALWAYS.into_iter().chain(requested))
}

/// Writes the reports. The report of an interrupted analysis goes to the folder `partial` if a complete one is there; a
/// complete one takes that folder away. Removes files that an earlier run wrote in formats that are no longer
/// requested, because they describe another analysis.
///
/// # Errors
/// If a file cannot be written. Then all reports of the earlier run are still there.
pub fn write(report: &Report, sources: &Sources, folder: &Path, formats: &[Format]) -> Result<WrittenReports> {
    if report.interrupted.is_some() && has_complete_report(folder) {
        return write_here(report, sources, &folder.join(PARTIAL), formats);
    }
    let written = write_here(report, sources, folder, formats)?;
    let partial = folder.join(PARTIAL);
    if report.interrupted.is_none() && partial.join(LIST).is_file() {
        OutputFolder::open(&partial)?.clear()?;
    }
    Ok(written)
}

/// Whether the report in the folder is of an analysis that nobody interrupted. A report that cannot be read counts as one.
fn has_complete_report(folder: &Path) -> bool {
    let file = folder.join(REPORT);
    let is_partial = |report: Report| report.interrupted.is_some();
    file.exists() && !read(&file, "").is_ok_and(is_partial)
}

fn write_here(report: &Report, sources: &Sources, folder: &Path, formats: &[Format]) -> Result<WrittenReports> {
    let files = Files::new(report, sources);
    let path = folder.join(MARKDOWN);
    let mut written = patches(report, &files);
    let mut add = |name: &str, text: String| written.insert(name.to_owned(), text.into_bytes());
    add(REPORT, json(report)?);
    add(MARKDOWN, markdown(report, link_base(folder, &sources.base_directory).as_deref())?);
    add(SUMMARY, comment(report)?);
    for (_, name, render) in ON_REQUEST.iter().filter(|(format, ..)| formats.contains(format)) {
        add(name, render(report, &files)?);
    }
    let is_report = |name: &str| name.starts_with(PATCHES) || ON_REQUEST.iter().any(|(_, known, _)| *known == name);
    OutputFolder::open(folder)?.write(&written, is_report)?;
    let annotations = formats.contains(&Format::Github).then(|| github(report, &files));
    Ok(WrittenReports { markdown: path, annotations })
}

/// A file for each finding with a patch.
///
/// A patch has the encoding of its source, because Git compares bytes.
fn patches(report: &Report, files: &Files<'_>) -> BTreeMap<String, Vec<u8>> {
    let of_entry = |entry: &'_ Entry| {
        let with_patch = |suggestion: &'_ Suggestion| Some((suggestion.file.clone()?, suggestion.patch.clone()?));
        let (file, patch) = entry.suggestions.iter().find_map(with_patch)?;
        let form = files.source(&file).map(|source| source.form);
        let bytes = form.and_then(|form| form.encode_patch(&patch)).unwrap_or(patch.into_bytes());
        Some((format!("{PATCHES}{}.patch", entry.short_id), bytes))
    };
    report.transformations.iter().filter_map(of_entry).collect()
}

/// Writes a further file of the output folder.
///
/// # Errors
/// If it cannot be written.
pub fn put(folder: &Path, name: &str, text: String) -> Result<()> {
    OutputFolder::open(folder)?.write(&BTreeMap::from([(name.to_owned(), text.into_bytes())]), |_| false)
}

/// Removes a file of an earlier run, if there is one.
///
/// # Errors
/// If it exists and cannot be removed.
pub fn remove(folder: &Path, name: &str) -> Result<()> {
    OutputFolder::open(folder)?.remove(name)
}
