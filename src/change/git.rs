//! Asks Git for the change between a reference and the files in the work tree: committed, staged and
//! unstaged edits, and untracked files.

use super::{Change, TouchedLines, unified_diff};
use crate::base::error::{Error, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Advice for clones of CI services, which often lack commits.
const SHALLOW: &str = "This clone is shallow, so commits are missing: fetch them all with `git fetch --unshallow` (GitHub Actions: \
                       `fetch-depth: 0` of actions/checkout; GitLab CI: `GIT_DEPTH: 0`).";
/// Variables that Git sets for its hooks, to name the repository. They must not redirect our calls,
/// which name a folder.
const HOOK_VARIABLES: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// The change to Java files after the newest commit that HEAD and `reference` have in common.
pub(super) fn since(folder: &Path, reference: &str) -> Result<Change> {
    let git = Git { folder };
    let root = git.root()?;
    let base = git.common_commit(reference)?;
    let git = Git { folder: &root };
    let mut change = Change::default();
    let prefix = "b/";
    // The options override the user's configuration of diffs.
    let diff = git.output([
        "-c",
        "core.quotePath=false",
        "diff",
        "--unified=0",
        "--inter-hunk-context=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        "--find-renames",
        "--src-prefix=a/",
        &format!("--dst-prefix={prefix}"),
        &base,
        "--",
        "*.java",
    ])?;
    let files = unified_diff::java_files(&String::from_utf8_lossy(&diff))
        .map_err(|reason| Error::bug(format!("The diff that Git wrote cannot be read: {reason}.")))?;
    for file in files.into_iter().filter(|file| !file.is_gone && !file.touched.is_empty()) {
        let path = if file.may_have_prefix { file.path.strip_prefix(prefix) } else { Some(file.path.as_str()) };
        if let Some(path) = path.and_then(|path| root.join(path).canonicalize().ok()) {
            change.files.insert(path, file.touched);
        }
    }
    let new = git.output(["ls-files", "--others", "--exclude-standard", "-z", "--", "*.java"])?;
    for path in new.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        if let Ok(path) = root.join(String::from_utf8_lossy(path).as_ref()).canonicalize() {
            change.files.insert(path, TouchedLines::everything());
        }
    }
    Ok(change)
}

/// Runs Git in a folder of a repository.
struct Git<'a> {
    folder: &'a Path,
}

impl Git<'_> {
    fn run<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Result<Output> {
        let mut command = Command::new("git");
        // Git must not update its index: this only reads.
        command.arg("--no-optional-locks").arg("-C").arg(self.folder).args(arguments).stdin(Stdio::null());
        for variable in HOOK_VARIABLES {
            command.env_remove(variable);
        }
        command.output().map_err(|error| {
            let what = match error.kind() {
                std::io::ErrorKind::NotFound => "--since needs Git, and there is no `git` on the PATH.".to_owned(),
                _ => format!("--since needs Git, and `git` cannot be started: {error}."),
            };
            Error::usage(what, "Install Git, or give the change as a file with --in-diff.")
        })
    }

    /// The output of a command that must succeed.
    fn output<const N: usize>(&self, arguments: [&str; N]) -> Result<Vec<u8>> {
        let output = self.run(arguments)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let error = Error::usage(
            format!("`git {}` fails.", arguments.join(" ")),
            "Find out what keeps Git from working here, or give the change as a file with --in-diff.",
        );
        Err(error.with_details(String::from_utf8_lossy(&output.stderr)))
    }

    /// The output of a command, which is one line. `None` if the command fails.
    fn line<const N: usize>(&self, arguments: [&str; N]) -> Result<Option<String>> {
        let output = self.run(arguments)?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        Ok(Some(text).filter(|_| output.status.success()))
    }

    /// The top folder of the work tree.
    fn root(&self) -> Result<PathBuf> {
        let output = self.run(["rev-parse", "--show-toplevel"])?;
        if output.status.success() {
            return Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n')));
        }
        let error = Error::usage(
            format!("--since needs a Git repository, and {} is in none that Git can work in.", self.folder.display()),
            "Give the change as a file with --in-diff, or leave --since away.",
        );
        Err(error.with_details(String::from_utf8_lossy(&output.stderr)))
    }

    fn commit(&self, reference: &str) -> Result<Option<String>> {
        // No reference begins with `-` (git-check-ref-format), but an option of Git may.
        if reference.is_empty() || reference.starts_with('-') {
            return Ok(None);
        }
        self.line(["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])
    }

    fn is_shallow(&self) -> Result<bool> {
        Ok(self.line(["rev-parse", "--is-shallow-repository"])?.is_some_and(|line| line == "true"))
    }

    /// The newest commit that HEAD and the reference have in common.
    fn common_commit(&self, reference: &str) -> Result<String> {
        let Some(commit) = self.commit(reference)? else {
            let remote = format!("origin/{reference}");
            let next = if self.commit(&remote)?.is_some() {
                format!("There is a branch of that name on the server: try `--since {remote}`.")
            } else if self.is_shallow()? {
                SHALLOW.to_owned()
            } else {
                "Give --since a branch, a tag or a commit that `git log` knows here; `git fetch` brings those of the server.".to_owned()
            };
            return Err(Error::usage(format!("There is no commit `{reference}` in this repository."), next));
        };
        if let Some(base) = self.line(["merge-base", &commit, "HEAD"])?.filter(|base| !base.is_empty()) {
            return Ok(base);
        }
        let next = if self.is_shallow()? {
            SHALLOW
        } else {
            "Give --since a commit that HEAD comes from, or give the change as a file with --in-diff."
        };
        Err(Error::usage(format!("`{reference}` and HEAD have no commit in common."), next))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A repository with a project in a subfolder.
    struct Repository(tempfile::TempDir);

    impl Repository {
        fn new() -> Self {
            let repository = Self(tempfile::tempdir().unwrap());
            repository.git(&["init", "--quiet", "--initial-branch=main"]);
            repository.write("app/A.java", "class A {\n  int m() {\n    return 1;\n  }\n}\n");
            repository.commit("one");
            repository
        }

        fn git(&self, arguments: &[&str]) {
            let settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgSign=false"];
            let output =
                Command::new("git").current_dir(self.0.path()).args(settings).args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn commit(&self, message: &str) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--message", message]);
        }

        fn app(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap().join("app")
        }

        fn since(&self, reference: &str) -> Change {
            since(&self.app(), reference).unwrap()
        }

        fn touched(&self, reference: &str) -> Vec<String> {
            let root = self.0.path().canonicalize().unwrap();
            let change = self.since(reference);
            change.files.keys().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect()
        }

        fn refusal(&self, reference: &str) -> String {
            let error = since(&self.app(), reference).unwrap_err();
            assert_eq!(error.exit_code, crate::base::error::ExitCode::Usage);
            error.to_string()
        }
    }

    #[test]
    fn all_edits_of_this_branch_and_the_work_tree_count_and_those_of_the_other_branch_do_not() {
        let repository = Repository::new();
        repository.git(&["switch", "--quiet", "--create", "work"]);
        repository.write("app/Committed.java", "class Committed {}\n");
        repository.commit("two");
        repository.write("app/Staged.java", "class Staged {}\n");
        repository.git(&["add", "app/Staged.java"]);
        repository.write("app/A.java", "class A {\n  int m() {\n    return 2;\n  }\n}\n");
        repository.write("other/Größe \"1\".java", "class New {}\n");
        repository.write("README.md", "text\n");
        let all = ["app/A.java", "app/Committed.java", "app/Staged.java", "other/Größe \"1\".java"];
        assert_eq!(repository.touched("main"), all);
        let change = repository.since("main");
        let edited = change.files.get(&repository.app().join("A.java")).unwrap();
        assert!(edited.touches(3, 3) && !edited.touches(1, 2) && !edited.touches(4, 5));

        repository.git(&["stash", "--quiet", "--include-untracked"]);
        repository.git(&["switch", "--quiet", "main"]);
        repository.write("app/Main.java", "class Main {}\n");
        repository.commit("meanwhile");
        repository.git(&["switch", "--quiet", "work"]);
        assert_eq!(repository.touched("main"), ["app/Committed.java"]);
        assert_eq!(repository.touched("HEAD"), [""; 0]);
    }

    #[test]
    fn the_users_diff_configuration_has_no_effect() {
        let repository = Repository::new();
        for (key, value) in [("diff.noprefix", "true"), ("color.ui", "always"), ("diff.relative", "true")] {
            repository.git(&["config", key, value]);
        }
        repository.write("app/A.java", "class A {\n  int m() {\n    return 2;\n  }\n}\n");
        assert_eq!(repository.touched("HEAD"), ["app/A.java"]);
    }

    #[test]
    fn a_file_that_only_moved_is_not_touched() {
        let repository = Repository::new();
        repository.git(&["mv", "app/A.java", "app/B.java"]);
        assert_eq!(repository.touched("HEAD"), [""; 0]);
    }

    #[test]
    fn the_error_names_a_missing_commit_and_says_what_to_do() {
        let repository = Repository::new();
        let text = repository.refusal("nowhere");
        assert!(text.contains("There is no commit `nowhere`") && text.contains("git fetch"), "{text}");
        assert!(repository.refusal("--output=x").contains("There is no commit `--output=x`"));
        repository.git(&["update-ref", "refs/remotes/origin/develop", "HEAD"]);
        assert!(repository.refusal("develop").contains("--since origin/develop"));
        repository.git(&["switch", "--quiet", "--orphan", "alone"]);
        repository.git(&["commit", "--quiet", "--allow-empty", "--message", "alone"]);
        std::fs::create_dir_all(repository.app()).unwrap();
        assert!(repository.refusal("main").contains("have no commit in common"));
    }

    #[test]
    fn the_error_in_a_shallow_clone_says_how_to_fetch_all_commits() {
        let origin = Repository::new();
        origin.write("app/B.java", "class B {}\n");
        origin.commit("two");
        let clone = Repository(tempfile::tempdir().unwrap());
        let from = format!("file://{}", origin.0.path().display());
        clone.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
        let text = clone.refusal("HEAD~1");
        assert!(text.contains("shallow") && text.contains("fetch-depth: 0"), "{text}");
    }

    #[test]
    fn the_error_outside_of_a_repository_suggests_a_diff_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = since(folder.path(), "main").unwrap_err();
        assert!(error.what.contains("needs a Git repository") && error.next.contains("--in-diff"), "{error}");
    }
}
