//! Writes `report.md`, which people read in a pull request, and `summary.md`, which fits into a
//! comment there.

use super::links::Links;
use super::model::Report;
use super::page::{Page, page};
use super::template::Template;
use crate::base::error::Result;
use crate::suggest::rules::markdown_environment;
use minijinja::value::Serde;
use minijinja::{Value, context};
use std::path::{Component, Path};

const REPORT: Template =
    Template { name: "report.md.jinja", text: include_str!("../../report-templates/report.md.jinja") };
const COMMENT: Template =
    Template { name: "summary.md.jinja", text: include_str!("../../report-templates/summary.md.jinja") };

/// Longest `summary.md`, in characters. GitHub allows a little more in a comment, so that there is
/// room for text around it.
const LONGEST: usize = 60_000;

/// The relative path from `folder` to the project's base directory: `../../`. `None` if the folder
/// is outside of the project.
#[must_use]
pub fn link_base(folder: &Path, base_directory: &Path) -> Option<String> {
    let inside = folder.strip_prefix(base_directory).ok()?;
    let mut base = String::new();
    for component in inside.components() {
        match component {
            Component::Normal(_) => base.push_str("../"),
            _ => return None,
        }
    }
    Some(base)
}

/// Renders `report.md`. `link_base` is the path from the report's folder to the project
/// ([`link_base()`]); without it, places are named but not linked.
///
/// # Errors
/// Only if reneri has a bug: if the template cannot be filled in.
pub fn markdown(report: &Report, link_base: Option<&str>) -> Result<String> {
    fill_in(REPORT, &page(report, &Links(link_base))?, usize::MAX)
}

/// Renders `summary.md`: as many whole findings as fit, and the number of those left out. It has no
/// links because relative ones do not work in a comment.
///
/// # Errors
/// Only if reneri has a bug: if the template cannot be filled in.
pub fn comment(report: &Report) -> Result<String> {
    let page = page(report, &Links(None))?;
    let text = fill_in(COMMENT, &page, page.findings)?;
    if text.chars().count() <= LONGEST {
        return Ok(text);
    }
    // Searches for the largest number of findings that fits.
    let (mut fits, mut exceeds) = (0, page.findings);
    while exceeds - fits > 1 {
        let middle = fits.midpoint(exceeds);
        let shorter = fill_in(COMMENT, &page, middle)?;
        if shorter.chars().count() <= LONGEST {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    fill_in(COMMENT, &page, fits)
}

/// Renders the first `shown` findings of the page.
fn fill_in(template: Template, page: &Page<'_>, shown: usize) -> Result<String> {
    let values = context! { shown => shown, ..Value::from(Serde(page)) };
    Ok(tidy(&template.fill_in(markdown_environment(), values)?))
}

/// Removes white space at ends of lines and repeated empty lines, and ends the text with one
/// newline. Our code blocks have no empty line at which this could do harm.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<String> = None;
    let mut empty = true;
    for line in text.lines() {
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if opens_block(line) => {
                fence = Some(line.chars().take_while(|&c| c == '`').collect());
            }
            None if line.trim().is_empty() => {
                empty = true;
                continue;
            }
            None => {}
        }
        if empty && !out.is_empty() {
            out.push('\n');
        }
        empty = false;
        out.push_str(if fence.is_some() { line } else { line.trim_end() });
        out.push('\n');
    }
    out
}

/// Whether a line begins a code block. If a backtick follows the fence, it is a code span
/// (CommonMark, "Fenced code blocks").
pub(super) fn opens_block(line: &str) -> bool {
    line.starts_with("```") && !line.trim_start_matches('`').contains('`')
}
