//! Reads what a unified diff says about Java files. Accepts the diffs of `git diff`, `diff -u` and
//! `svn diff`.

use super::TouchedLines;
use diffy::Line;
use diffy::patch_set::{FileMode, FileOperation, FilePatch, ParseOptions, PatchSet};

/// The part of a diff about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileDiff {
    /// The path in the diff: after the change, or before it if the change deletes the file.
    pub path: String,
    /// Whether the path may begin with a prefix such as `b/`. Git writes none for renamed files.
    pub may_have_prefix: bool,
    pub is_gone: bool,
    /// Lines of the file after the change that the diff shows: number from 1, and text without line end.
    pub present: Vec<(u32, String)>,
    /// The smallest number of lines that the file can have after the change.
    pub length: u32,
    pub touched: TouchedLines,
}

/// The parts about files whose names end in `.java`.
///
/// # Errors
/// If the text is no diff: the reason.
pub(super) fn java_files(text: &str) -> Result<Vec<FileDiff>, String> {
    // Line ends do not matter.
    let text = text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let has_line = |starts: &[&str]| text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
    if has_line(&["diff --cc ", "diff --combined "]) {
        return Err("it is the combined diff of a merge, which names lines of several files at once; take the \
                    difference to one of the merged commits"
            .to_owned());
    }
    let options = if has_line(&["diff --git "]) { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let mut files = Vec::new();
    for patch in PatchSet::parse(&text, options) {
        files.extend(file_diff(&patch.map_err(|error| error.to_string())?)?);
    }
    Ok(files)
}

fn file_diff(patch: &FilePatch<'_, str>) -> Result<Option<FileDiff>, String> {
    let (path, may_have_prefix, is_gone) = match patch.operation() {
        FileOperation::Delete(path) => (path, true, true),
        FileOperation::Create(path) | FileOperation::Modify { modified: path, .. } => (path, true, false),
        FileOperation::Rename { to, .. } | FileOperation::Copy { to, .. } => (to, false, false),
    };
    let is_file = !matches!(patch.new_mode(), Some(FileMode::Symlink | FileMode::Gitlink));
    let Some(text) = patch.patch().as_text().filter(|_| path.ends_with(".java") && is_file) else { return Ok(None) };
    let mut file = FileDiff { path: path.to_string(), may_have_prefix, is_gone, ..FileDiff::default() };
    if is_gone {
        return Ok(Some(file));
    }
    let too_long = |_| format!("{path} has more lines than can be");
    for hunk in text.hunks() {
        let range = hunk.new_range();
        // A hunk without lines after the change names the line before it (POSIX, diff, unified format).
        let last = if range.is_empty() { range.start() } else { range.start().saturating_sub(1) };
        let mut last = u32::try_from(last).map_err(too_long)?;
        for line in hunk.lines() {
            match line {
                Line::Delete(text) => file.touched.remove_after(last, text),
                Line::Context(text) | Line::Insert(text) => {
                    last = last.saturating_add(1);
                    file.present.push((last, text.trim_end_matches('\n').to_owned()));
                    if matches!(line, Line::Insert(_)) {
                        file.touched.add(last);
                    }
                }
            }
        }
        file.length = file.length.max(last);
    }
    Ok(Some(file))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn only(text: &str) -> FileDiff {
        let files = java_files(text).unwrap();
        assert_eq!(files.len(), 1, "{files:?}");
        files.into_iter().next().unwrap()
    }

    const EDIT: &str = "diff --git a/src/A.java b/src/A.java
index 83db48f..bf26a1c 100644
--- a/src/A.java
+++ b/src/A.java
@@ -2,4 +2,4 @@ class A {
   int m() {
-    return 1;
+    return 2;
   }
-
 }
\\ No newline at end of file
";

    #[test]
    fn touched_lines_have_the_numbers_of_the_new_file() {
        let file = only(&EDIT.replace("-2,4 +2,4", "-2,5 +2,4"));
        assert_eq!((file.path.as_str(), file.may_have_prefix, file.is_gone), ("b/src/A.java", true, false));
        let mut touched = TouchedLines::default();
        touched.remove_after(2, "");
        touched.add(3);
        touched.remove_after(4, "");
        assert_eq!(file.touched, touched);
        assert_eq!(file.length, 5);
        let line = |number, text: &str| (number, text.to_owned());
        assert_eq!(file.present, [line(2, "  int m() {"), line(3, "    return 2;"), line(4, "  }"), line(5, "}")]);
    }

    #[test]
    fn a_hunk_without_context_that_only_removes_names_the_line_before() {
        let file = only("--- A.java\n+++ A.java\n@@ -5,2 +4,0 @@\n-x\n-y\n");
        let mut touched = TouchedLines::default();
        touched.remove_after(4, "y");
        assert_eq!((file.touched, file.length), (touched, 4));
    }

    #[test]
    fn line_ends_do_not_matter() {
        let edit = EDIT.replace("-2,4 +2,4", "-2,5 +2,4");
        assert_eq!(java_files(&edit.replace('\n', "\r\n")), java_files(&edit));
    }

    #[test]
    fn quoted_names_and_names_with_spaces_are_read() {
        let quoted = "diff --git \"a/Gr\\303\\266\\303\\237e.java\" \"b/Gr\\303\\266\\303\\237e.java\"\n\
                      --- \"a/Gr\\303\\266\\303\\237e.java\"\n+++ \"b/Gr\\303\\266\\303\\237e.java\"\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(only(quoted).path, "b/Größe.java");
        assert_eq!(only("--- a/a b.java\t\n+++ b/a b.java\t\n@@ -1 +1 @@\n-a\n+b\n").path, "b/a b.java");
        assert_eq!(only("--- A.java\t(revision 3)\n+++ A.java\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n").path, "A.java");
    }

    #[test]
    fn new_deleted_renamed_and_linked_files_are_distinguished() {
        let new = "diff --git a/N.java b/N.java\nnew file mode 100644\n--- /dev/null\n+++ b/N.java\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert!(only(new).touched.touches(1, 1) && only(new).touched.touches(2, 2));
        let gone =
            "diff --git a/D.java b/D.java\ndeleted file mode 100644\n--- a/D.java\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!((only(gone).path.as_str(), only(gone).is_gone), ("a/D.java", true));
        let renamed = "diff --git a/O.java b/P.java\nsimilarity index 100%\nrename from O.java\nrename to P.java\n";
        let file = only(renamed);
        assert_eq!((file.path.as_str(), file.may_have_prefix, file.touched.is_empty()), ("P.java", false, true));
        let link =
            "diff --git a/L.java b/L.java\nnew file mode 120000\n--- /dev/null\n+++ b/L.java\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(java_files(link).unwrap(), []);
    }

    #[test]
    fn text_and_binary_files_that_are_not_java_are_skipped() {
        let others = "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n\
                      diff --git a/a.png b/a.png\nindex 1..2 100644\nBinary files a/a.png and b/a.png differ\n";
        assert_eq!(java_files(others).unwrap(), []);
        assert_eq!(java_files(&format!("{others}{}", EDIT.replace("-2,4 +2,4", "-2,5 +2,4"))).unwrap().len(), 1);
    }

    #[test]
    fn an_empty_text_is_an_empty_change_and_other_text_is_an_error() {
        assert_eq!(java_files(" \n").unwrap(), []);
        assert!(java_files("class A {}\n").is_err());
        assert!(java_files("--- a/A.java\n+++ b/A.java\n@@ -1,9 +1,9 @@\n-a\n+b\n").is_err(), "cut off");
        assert!(java_files("diff --cc A.java\n--- a/A.java\n+++ b/A.java\n@@@ -1 -1 +1 @@@\n").is_err());
    }
}
