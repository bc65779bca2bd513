//! From a report to `report.md`, what people read in a pull request, and `summary.md`, which fits into a comment there.

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

/// Longest `summary.md`, in characters: GitHub takes a little more in a comment, and whoever posts it may add to it.
const LONGEST: usize = 60_000;

/// How a link gets from a file in `folder` to the project's base directory: `../../`. `None` when the folder is not inside the project.
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

/// `report.md`. `link_base` is what leads from the report's folder to the project ([`link_base()`]); without it places are named, not linked.
///
/// # Errors
/// Only by a bug of reneri: when the template cannot be filled in.
pub fn markdown(report: &Report, link_base: Option<&str>) -> Result<String> {
    fill_in(REPORT, &page(report, &Links(link_base))?, usize::MAX)
}

/// `summary.md`: as many whole findings as fit, and the number of those that do not. Relative links lead nowhere from a comment: it has none.
///
/// # Errors
/// Only by a bug of reneri: when the template cannot be filled in.
pub fn comment(report: &Report) -> Result<String> {
    let page = page(report, &Links(None))?;
    let text = fill_in(COMMENT, &page, page.findings)?;
    if text.chars().count() <= LONGEST {
        return Ok(text);
    }
    // So many findings fit, and so many do not.
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

/// The first `shown` findings of the page.
fn fill_in(template: Template, page: &Page<'_>, shown: usize) -> Result<String> {
    let values = context! { shown => shown, ..Value::from(Serde(page)) };
    Ok(tidy(&template.fill_in(markdown_environment(), values)?))
}

/// No line ends in white space, no two empty lines follow each other, one newline at the end. Blocks of code hold no empty line of ours.
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

/// Whether a block of code begins with this line. With a backtick behind the fence it is a code span (CommonMark, "Fenced code blocks").
pub(super) fn opens_block(line: &str) -> bool {
    line.starts_with("```") && !line.trim_start_matches('`').contains('`')
}
