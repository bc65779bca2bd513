//! Finds the files of a diff in the tree, and checks that they are as the diff leaves them.

use super::unified_diff::FileDiff;
use super::{Change, TouchedLines};
use crate::base::error::{Error, ExitCode, Result};
use crate::base::read::{LONGEST_SOURCE, read_file};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Finds the folder that the paths of the diff are relative to, and compares every Java file of the
/// diff with the tree.
///
/// # Errors
/// With exit code 5 if a file is not as the diff leaves it.
pub(super) fn match_tree(files: &[FileDiff], folder: &Path) -> Result<Change> {
    let mut nearest: Option<(usize, String)> = None;
    // The first folder of a path may be a prefix: `b/` in Git, `new/` in `diff -r old new`.
    let mut interpretations: Vec<(PathBuf, bool)> =
        bases(folder).into_iter().flat_map(|base| [(base.clone(), true), (base, false)]).collect();
    // Deleted files are in no folder, so they do not show where the paths begin. Assume Git's paths.
    if files.iter().all(|file| file.is_gone) {
        interpretations.truncate(1);
    }
    for (base, strip_prefix) in interpretations {
        let paths: Vec<Option<PathBuf>> = files.iter().map(|file| path(&base, file, strip_prefix)).collect();
        let misfit = files.iter().zip(&paths).find_map(|(file, path)| misfit(&base, file, path.as_deref()));
        let Some(misfit) = misfit else { return Ok(change(files, paths)) };
        let found = paths.iter().flatten().filter(|path| path.is_file()).count();
        if nearest.as_ref().is_none_or(|(most, _)| found > *most) {
            nearest = Some((found, misfit));
        }
    }
    let what = nearest.map_or_else(|| "The diff does not match the tree.".to_owned(), |(_, misfit)| misfit);
    Err(Error::new(
        ExitCode::DiffMismatch,
        what,
        "The diff has to lead to the files as they are now: check out what it leads to, or make it again from these files, with \
         paths from the folder of the repository or of the project (`git diff` does).",
    ))
}

/// The folders that the paths of a diff may be relative to: the repository (as in Git's diffs), the
/// project, and the folders between. Without a repository, all folders around the project.
fn bases(folder: &Path) -> Vec<PathBuf> {
    let repository = folder.ancestors().find(|ancestor| ancestor.join(".git").exists());
    let inside = folder.ancestors().take_while(|ancestor| Some(*ancestor) != repository);
    repository.into_iter().chain(inside).map(Path::to_owned).collect()
}

/// The path of the file. `None` if it is empty without the prefix, or leads out of the folder.
fn path(base: &Path, file: &FileDiff, strip_prefix: bool) -> Option<PathBuf> {
    let mut parts = Path::new(&file.path).components();
    if strip_prefix && file.may_have_prefix {
        parts.next();
    }
    let stays_inside = parts.clone().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let below = parts.as_path();
    (stays_inside && below != Path::new("")).then(|| base.join(below))
}

/// The first difference between the file and the diff, in words.
fn misfit(base: &Path, file: &FileDiff, path: Option<&Path>) -> Option<String> {
    let name = path.and_then(|path| path.strip_prefix(base).ok()).unwrap_or(Path::new(&file.path)).display();
    let is_there = path.is_some_and(Path::is_file);
    if file.is_gone {
        return is_there.then(|| format!("The diff does not match the tree: it deletes {name}, which is still there."));
    }
    let Some(text) = path.and_then(|path| read_file(path, LONGEST_SOURCE).ok()) else {
        return Some(format!("The diff does not match the tree: there is no file {name}."));
    };
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    for (number, expected) in &file.present {
        let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        if lines.get(index).copied().unwrap_or_default() != expected {
            return Some(format!(
                "The diff does not match the tree: line {number} of {name} is {}, and the diff says {}.",
                lines.get(index).map_or_else(|| "not there".to_owned(), |line| shown(line)),
                shown(expected)
            ));
        }
    }
    let length = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    (length < file.length).then(|| {
        format!(
            "The diff does not match the tree: {name} ends with line {length}, and the diff takes lines away behind line {}.",
            file.length
        )
    })
}

/// A line of the project, as part of a sentence.
fn shown(line: &str) -> String {
    const LONGEST: usize = 80;
    let line = line.trim();
    if line.is_empty() {
        return "empty".to_owned();
    }
    let short: String = line.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("`{short}{}`", if line.chars().count() > LONGEST { " …" } else { "" })
}

fn change(files: &[FileDiff], paths: Vec<Option<PathBuf>>) -> Change {
    let mut change: BTreeMap<PathBuf, TouchedLines> = BTreeMap::new();
    for (file, path) in files.iter().zip(paths) {
        if !file.is_gone
            && !file.touched.is_empty()
            && let Some(path) = path.and_then(|path| path.canonicalize().ok())
        {
            change.insert(path, file.touched.clone());
        }
    }
    Change { files: change }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::unified_diff::java_files;
    use super::*;

    const TEXT: &str = "class A {\r\n  int m() {\r\n    return 2;\r\n  }\r\n}\r\n";

    struct Tree(tempfile::TempDir);

    impl Tree {
        /// `A.java` in `app/src`; `repository` adds a `.git` folder beside `app`.
        fn new(repository: bool) -> Self {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(folder.path().join("app/src")).unwrap();
            std::fs::write(folder.path().join("app/src/A.java"), TEXT).unwrap();
            if repository {
                std::fs::create_dir(folder.path().join(".git")).unwrap();
            }
            Self(folder)
        }

        fn matched(&self, diff: &str) -> Result<Change> {
            match_tree(&java_files(diff).unwrap(), &self.0.path().join("app").canonicalize().unwrap())
        }

        fn refusal(&self, diff: &str) -> String {
            let error = self.matched(diff).unwrap_err();
            assert_eq!(error.exit_code, ExitCode::DiffMismatch);
            error.what
        }
    }

    fn edit(path: &str) -> String {
        format!("--- {path}\n+++ {path}\n@@ -2,3 +2,3 @@\n   int m() {{\n-    return 1;\n+    return 2;\n   }}\n")
    }

    #[test]
    fn paths_are_relative_to_repository_or_project_with_or_without_prefix() {
        for (repository, path) in [
            (true, "b/app/src/A.java"),
            (true, "app/src/A.java"),
            (true, "b/src/A.java"),
            (true, "src/A.java"),
            (false, "b/app/src/A.java"),
            (false, "app/src/A.java"),
            (false, "new/src/A.java"),
        ] {
            let tree = Tree::new(repository);
            let change = tree.matched(&edit(path)).unwrap();
            let file = tree.0.path().join("app/src/A.java").canonicalize().unwrap();
            assert_eq!(change.files.keys().collect::<Vec<_>>(), [&file], "{path}");
            assert!(change.files.values().all(|touched| touched.touches(3, 3) && !touched.touches(1, 2)), "{path}");
        }
    }

    #[test]
    fn the_error_names_the_line_that_differs() {
        let tree = Tree::new(true);
        let what = tree.refusal(&edit("b/app/src/A.java").replace("return 2", "return 3"));
        assert_eq!(
            what,
            "The diff does not match the tree: line 3 of app/src/A.java is `return 2;`, and the diff says `return 3;`."
        );
        let what = tree.refusal(&edit("b/app/src/A.java").replace("int m", "int n"));
        assert!(what.contains("line 2 of app/src/A.java"), "{what}");
    }

    #[test]
    fn missing_undeleted_and_short_files_do_not_match() {
        let tree = Tree::new(true);
        assert!(tree.refusal(&edit("b/app/src/B.java")).contains("there is no file app/src/B.java"));
        let gone = "--- a/app/src/A.java\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        std::fs::write(tree.0.path().join("B.java"), "").unwrap();
        assert!(tree.refusal(&edit("b/app/../B.java")).contains("there is no file"));
        assert!(tree.refusal(gone).contains("deletes app/src/A.java"));
        let behind = "--- a/app/src/A.java\n+++ b/app/src/A.java\n@@ -10,1 +9,0 @@\n-a\n";
        assert!(tree.refusal(behind).contains("ends with line 5"), "{}", tree.refusal(behind));
    }

    #[test]
    fn a_deleted_file_and_an_empty_diff_match() {
        let tree = Tree::new(true);
        assert_eq!(
            tree.matched("--- a/app/src/B.java\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n").unwrap(),
            Change::default()
        );
        assert_eq!(tree.matched("").unwrap(), Change::default());
    }
}
