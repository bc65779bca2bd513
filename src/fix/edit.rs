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
    let patch = diffy::Patch::from_str(diff).ok()?;
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
                diffy::Line::Context(_) => {
                    open = false;
                    at += 1;
                }
                diffy::Line::Delete(_) => {
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
}
