//! Edits of a text, and unified diffs as `git apply` takes them.

use serde::{Deserialize, Serialize};
use similar::TextDiff;

/// The number of unchanged lines around a change in a diff.
const CONTEXT: usize = 3;

/// Replaces the bytes from `start` to `end` of the original text by `text`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

impl Edit {
    #[must_use]
    pub fn insert(at: usize, text: String) -> Self {
        Self { start: at, end: at, text }
    }
}

/// The text after all edits. Of two edits at the same place, the first in the list comes first.
/// `None` if two edits replace the same bytes.
#[must_use]
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.start, edit.end));
    let mut result = String::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut copied = 0;
    for edit in sorted {
        result.push_str(text.get(copied..edit.start)?);
        result.push_str(&edit.text);
        copied = edit.end;
    }
    result.push_str(text.get(copied..)?);
    Some(result)
}

/// A diff as `git diff` writes it. `path` is relative to the folder in which the diff is applied,
/// and separated by `/`.
#[must_use]
pub fn diff(path: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

/// Whether the diff leads from one text to the other, as judged by another library than the one
/// that made it.
#[must_use]
pub fn fits(diff: &str, before: &str, after: &str) -> bool {
    let Ok(patch) = diffy::Patch::from_str(diff) else { return false };
    diffy::apply(before, &patch).is_ok_and(|found| found == after)
}

/// The number of lines that the diff adds, without blank ones.
#[must_use]
pub fn new_lines(diff: &str) -> usize {
    let added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++ "));
    added.filter(|line| !line.trim_start_matches('+').trim().is_empty()).count()
}

/// Applies diffs that were all made for `text`. An import that two of them add is added once.
///
/// # Errors
///
/// The index of the first diff that does not fit, or that contradicts an earlier one.
pub fn combine(text: &str, diffs: &[&str]) -> Result<String, usize> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut all: Vec<Change> = Vec::new();
    for (index, diff) in diffs.iter().enumerate() {
        for change in read(diff, Some(&lines)).ok_or(index)? {
            let overlaps = |other: &Change| other.start < change.end && change.start < other.end;
            if all.contains(&change) {
                continue;
            }
            if all.iter().any(overlaps) {
                return Err(index);
            }
            all.push(change);
        }
    }
    all.sort_by_key(|change| (change.start, change.end));
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    let mut imports: Vec<String> = Vec::new();
    for change in all {
        lines.get(copied..change.start).into_iter().flatten().for_each(|line| result.push_str(line));
        for line in change.lines {
            let is_import = line.trim_start().starts_with("import ");
            if is_import && imports.contains(&line) {
                continue;
            }
            if is_import {
                imports.push(line.clone());
            }
            result.push_str(&line);
        }
        copied = change.end;
    }
    lines.get(copied..).into_iter().flatten().for_each(|line| result.push_str(line));
    Ok(result)
}

/// The lines that replace a range of lines of the original. Lines are counted from 0; `end` is
/// exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub start: usize,
    pub end: usize,
    pub lines: Vec<String>,
}

/// The changes that a diff makes. `None` if the text is not a diff.
#[must_use]
pub fn changes(diff: &str) -> Option<Vec<Change>> {
    read(diff, None)
}

/// `None` if the text is not a diff, or not a diff of these lines.
fn read(diff: &str, lines: Option<&[&str]>) -> Option<Vec<Change>> {
    let patch = diffy::Patch::from_str(diff).ok()?;
    let is_there = |at: usize, text: &str| lines.is_none_or(|lines| lines.get(at).is_some_and(|line| *line == text));
    let mut changes: Vec<Change> = Vec::new();
    (!patch.hunks().is_empty()).then_some(())?;
    for hunk in patch.hunks() {
        let first = hunk.old_range().start();
        // A hunk that has no line of the original names the line before it.
        let mut at = if hunk.old_range().is_empty() { first } else { first.checked_sub(1)? };
        let mut open = false;
        for line in hunk.lines() {
            if !matches!(line, diffy::Line::Context(_)) && !open {
                changes.push(Change { start: at, end: at, lines: Vec::new() });
                open = true;
            }
            match line {
                diffy::Line::Context(text) => {
                    is_there(at, text).then_some(())?;
                    open = false;
                    at += 1;
                }
                diffy::Line::Delete(text) => {
                    is_there(at, text).then_some(())?;
                    at += 1;
                    changes.last_mut()?.end = at;
                }
                diffy::Line::Insert(text) => changes.last_mut()?.lines.push((*text).to_owned()),
            }
        }
    }
    Some(changes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEXT: &str = "import a;\n\nclass T {\n    void a() {\n        x();\n    }\n}\n";

    fn patch(edits: &[Edit]) -> String {
        let after = apply(TEXT, edits).unwrap();
        let diff = diff("T.java", TEXT, &after);
        assert!(fits(&diff, TEXT, &after), "{diff}");
        diff
    }

    fn at(needle: &str) -> usize {
        TEXT.find(needle).unwrap()
    }

    #[test]
    fn a_diff_has_the_edits() {
        let diff = patch(&[Edit::insert(at("    }"), "        y();\n".into()), Edit::insert(0, "import b;\n".into())]);
        assert!(diff.starts_with("--- a/T.java\n+++ b/T.java\n@@ -1,7 +1,9 @@\n+import b;\n import a;\n"), "{diff}");
        assert_eq!(new_lines(&diff), 2);
        assert!(!fits(&diff, &TEXT.replace("x();", "z();"), ""));
    }

    #[test]
    fn combined_patches_of_one_file_add_the_same_line_once() {
        let import = Edit::insert(0, "import b;\n".into());
        let one = patch(&[import.clone(), Edit::insert(at("    }"), "        y();\n".into())]);
        let two = patch(&[import, Edit::insert(at("}\n}") + 2, "\n    void b() {\n    }\n".into())]);
        let same_place = patch(&[Edit::insert(at("    }"), "        z();\n".into())]);
        assert_eq!(
            combine(TEXT, &[&one, &two, &same_place, &one]).unwrap(),
            "import b;\nimport a;\n\nclass T {\n    void a() {\n        x();\n        y();\n        z();\n    }\n\n    void b() {\n    }\n}\n"
        );
    }

    #[test]
    fn combine_names_the_patch_that_does_not_fit_or_changes_the_same_lines() {
        let replace = |text: &str| patch(&[Edit { start: at("x();"), end: at("x();") + 4, text: text.into() }]);
        let (one, two) = (replace("y();"), replace("z();"));
        assert_eq!(combine(TEXT, &[&one, &two]), Err(1));
        assert_eq!(combine(&TEXT.replace("x();", "w();"), &[&one]), Err(0));
        assert_eq!(combine(TEXT, &["no diff"]), Err(0));
    }
}
