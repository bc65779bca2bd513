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
use super::sarif::sarif;
use crate::base::error::{Error, Result};
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

type Render = fn(&Report, &Files<'_>) -> Result<String>;

/// Files that are written only if their format is requested.
const ON_REQUEST: &[(Format, &str, Render)] = &[
    (Format::Sarif, "report.sarif", sarif),
    (Format::Gitlab, "gl-code-quality.json", gitlab),
    (Format::Html, "report.html", |report, _| html(report)),
    (Format::Elements, "mutation-report.json", elements),
];

/// Writes the reports. Removes files that an earlier run wrote in formats that are no longer
/// requested, because they describe another analysis.
///
/// # Errors
/// If a file cannot be written.
pub fn write(report: &Report, sources: &Sources, folder: &Path, formats: &[Format]) -> Result<WrittenReports> {
    let files = Files::new(report, sources);
    put(&folder.join("report.json"), &json(report)?)?;
    let path = folder.join("report.md");
    put(&path, &markdown(report, link_base(folder, &sources.base_directory).as_deref())?)?;
    put(&folder.join("summary.md"), &comment(report)?)?;
    for (format, name, render) in ON_REQUEST {
        let file = folder.join(name);
        if formats.contains(format) {
            put(&file, &render(report, &files)?)?;
        } else {
            remove(&file)?;
        }
    }
    patches(report, sources, &folder.join("patches"))?;
    let annotations = formats.contains(&Format::Github).then(|| github(report, &files));
    Ok(WrittenReports { markdown: path, annotations })
}

/// Writes one file for each finding with a patch, and removes those of an earlier run.
///
/// A patch has the encoding of its source, because Git compares bytes.
fn patches(report: &Report, sources: &Sources, folder: &Path) -> Result<()> {
    let of_entry = |entry: &'_ Entry| {
        let with_patch = |suggestion: &'_ Suggestion| Some((suggestion.file.clone()?, suggestion.patch.clone()?));
        let (file, patch) = entry.suggestions.iter().find_map(with_patch)?;
        let form = sources.read(&sources.base_directory.join(file)).map(|source| source.form);
        let bytes = form.and_then(|form| form.encode_patch(&patch)).unwrap_or(patch.into_bytes());
        Some((folder.join(format!("{}.patch", entry.short_id)), bytes))
    };
    let wanted: BTreeMap<PathBuf, Vec<u8>> = report.transformations.iter().filter_map(of_entry).collect();
    let present = std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok);
    for file in present.map(|entry| entry.path()) {
        if file.extension().is_some_and(|ending| ending == "patch") && !wanted.contains_key(&file) {
            remove(&file)?;
        }
    }
    if !wanted.is_empty() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    wanted.iter().try_for_each(|(file, patch)| put(file, patch))
}

/// Writes a file of the output folder.
///
/// # Errors
/// If it cannot be written.
pub fn put(file: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(file, text).map_err(|error| unwritable(file, &error))
}

/// Removes a file of an earlier run, if there is one.
///
/// # Errors
/// If it exists and cannot be removed.
pub fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unwritable(file, &error)),
        _ => Ok(()),
    }
}

fn unwritable(file: &Path, error: &std::io::Error) -> Error {
    Error::usage(format!("{} cannot be written: {error}.", file.display()), "Choose another folder with --output.")
}
