//! A copy of a module's folder as a checkout and a build leave it, without files that test runs left behind. Such a file can
//! hide a failure: a test that looks for the file finds the one of an earlier run. In the copy, files can be deleted that
//! nobody else needs.

use super::Recipe;
use crate::base::run_folder::temporary_folder;
use crate::jvm::client::Launch;
use crate::jvm::temporary::TemporaryFolder;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

/// Larger folders are not copied: entries, and bytes of all files.
const MOST_ENTRIES: usize = 50_000;
const MOST_BYTES: u64 = 256 << 20;
/// A shorter path is in many texts by chance, in components.
const SHORTEST_PATH: usize = 3;

/// The part of the build folder that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Elements of the class path, as after `mvn clean`.
    ClassPath,
    /// Everything that is older than the analysis. Some builds put files there that tests need.
    BuildFolder,
}

/// The copy. It is deleted when this is dropped.
#[derive(Debug)]
pub struct CleanCopy {
    from: PathBuf,
    to: PathBuf,
    /// The entries of a new copy, by their path below it.
    entries: BTreeMap<PathBuf, Stamp>,
    temporary: Option<Arc<TemporaryFolder>>,
    _folder: TempDir,
}

/// The size and the time of an entry, by which a change of it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    is_folder: bool,
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let is_folder = metadata.is_dir();
        // Each new entry changes the time of its folder.
        let modified = if is_folder { None } else { metadata.modified().ok() };
        Self { is_folder, length: if is_folder { 0 } else { metadata.len() }, modified }
    }
}

impl CleanCopy {
    /// Copies the folder of the recipe's module, without the files that were made at `since` or later. `None` if it is
    /// too large, or cannot be copied.
    #[must_use]
    pub fn new(recipe: &Recipe, extent: Extent, since: SystemTime) -> Option<Self> {
        let from = recipe.base_directory.clone();
        if from.components().count() < SHORTEST_PATH {
            return None;
        }
        let folder = temporary_folder().ok()?;
        let to = folder.path().canonicalize().ok()?.join(from.file_name()?);
        let mut copy = Self { from, to, entries: BTreeMap::new(), temporary: None, _folder: folder };
        copy.copy_all(&Part { recipe, extent, since })?;
        copy.entries = copy.all_entries();
        Some(copy)
    }

    fn copy_all(&self, part: &Part<'_>) -> Option<()> {
        let (mut entries, mut bytes) = (0, 0);
        let walk = WalkDir::new(&self.from).into_iter().filter_entry(|entry| part.has(entry));
        for entry in walk.filter_map(std::result::Result::ok) {
            entries += 1;
            bytes += entry.metadata().ok().filter(Metadata::is_file).map_or(0, |file| file.len());
            if entries > MOST_ENTRIES || bytes > MOST_BYTES {
                return None;
            }
            self.copy(entry.path().strip_prefix(&self.from).ok()?)?;
        }
        // Some file systems take a folder for new that only has a new entry. Such a folder is not empty.
        for (below, stamp) in self.all_entries().into_iter().rev() {
            if stamp.is_folder && part.is_left_behind(&self.from.join(&below)) {
                let _ = std::fs::remove_dir(self.to.join(&below));
            }
        }
        Some(())
    }

    /// Copies one entry.
    fn copy(&self, below: &Path) -> Option<()> {
        let (from, to) = (self.from.join(below), self.to.join(below));
        let kind = from.symlink_metadata().ok()?.file_type();
        if kind.is_dir() {
            std::fs::create_dir_all(&to).ok()
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&from).ok()?;
            let inside = from.canonicalize().is_ok_and(|path| path.starts_with(&self.from)) && target.is_relative();
            let target = if inside { target } else { from.canonicalize().unwrap_or(target) };
            std::os::unix::fs::symlink(target, &to).ok()
        } else if kind.is_file() {
            std::fs::copy(&from, &to).ok().map(drop)
        } else {
            // Sockets and pipes are of no use without the process at their other end.
            Some(())
        }
    }

    fn all_entries(&self) -> BTreeMap<PathBuf, Stamp> {
        let entries = WalkDir::new(&self.to).min_depth(1).into_iter().filter_map(std::result::Result::ok);
        let stamped = entries.filter_map(|entry| {
            let below = entry.path().strip_prefix(&self.to).ok()?.to_path_buf();
            Some((below, Stamp::of(&entry.metadata().ok()?)))
        });
        stamped.collect()
    }

    /// Makes the copy what it was when it was new, and empties the folder for temporary files. What cannot be deleted
    /// stays: it hides no more than it does in the project.
    pub fn restore(&mut self) {
        let now = self.all_entries();
        for (below, stamp) in now.iter().rev() {
            if self.entries.get(below) != Some(stamp) {
                let path = self.to.join(below);
                let _ = if stamp.is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
        }
        let changed: Vec<PathBuf> = self
            .entries
            .iter()
            .filter(|(below, stamp)| now.get(*below) != Some(stamp))
            .map(|(below, _)| below.clone())
            .collect();
        for below in changed {
            let _ = self.copy(&below);
            if let Ok(metadata) = self.to.join(&below).symlink_metadata() {
                self.entries.insert(below, Stamp::of(&metadata));
            }
        }
        let temporary = self.temporary.as_ref().and_then(|temporary| std::fs::read_dir(temporary.path()).ok());
        for entry in temporary.into_iter().flatten().filter_map(std::result::Result::ok) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = if is_folder { std::fs::remove_dir_all(entry.path()) } else { std::fs::remove_file(entry.path()) };
        }
    }

    /// The launch of the same tests in the copy, with a folder of their own for temporary files.
    #[must_use]
    pub fn launch(&mut self, launch: &Launch) -> Launch {
        let mut launch = launch.clone();
        self.move_folders(&mut launch);
        if let Some(own) = &launch.temporary {
            let name = format!("{}-clean", launch.recipe.get(..12).unwrap_or(&launch.recipe));
            self.temporary = TemporaryFolder::named(&name).map(Arc::new);
            let option = own.option();
            launch.start.options.retain(|known| *known != option);
            launch.start.options.extend(self.temporary.iter().map(|temporary| temporary.option()));
            launch.temporary.clone_from(&self.temporary);
        }
        launch
    }

    /// Lets everything in the launch that names a path below the module name the one in the copy.
    pub fn move_folders(&self, launch: &mut Launch) {
        let text = |text: &mut String| *text = moved(text, &self.from, &self.to);
        launch.environment.values_mut().for_each(text);
        launch.start.options.iter_mut().for_each(text);
        launch.start.properties.iter_mut().for_each(|(_, value)| text(value));
        let path = |path: &mut PathBuf| {
            if let Ok(below) = path.strip_prefix(&self.from) {
                *path = if below.as_os_str().is_empty() { self.to.clone() } else { self.to.join(below) };
            }
        };
        launch.start.class_path.iter_mut().for_each(path);
        launch.start.shared.iter_mut().for_each(path);
        path(&mut launch.working_directory);
        if launch.working_directory.starts_with(&self.to) {
            let _ = std::fs::create_dir_all(&launch.working_directory);
        }
    }
}

/// The part of a module's folder that is copied.
struct Part<'a> {
    recipe: &'a Recipe,
    extent: Extent,
    since: SystemTime,
}

impl Part<'_> {
    fn has(&self, entry: &DirEntry) -> bool {
        let (recipe, path) = (self.recipe, entry.path());
        if path == recipe.base_directory {
            return true;
        }
        if entry.file_name() == OsStr::new(".git") || !entry.file_type().is_dir() && self.is_left_behind(path) {
            return false;
        }
        let is_in_build = path != recipe.build_directory && path.starts_with(&recipe.build_directory);
        !is_in_build || self.extent == Extent::BuildFolder || self.is_on_class_path(path)
    }

    /// Whether tests of this analysis made the entry. With [`Extent::ClassPath`], a file that they wrote again is left out as
    /// well: an earlier run may have made it.
    fn is_left_behind(&self, path: &Path) -> bool {
        let Ok(metadata) = path.symlink_metadata() else { return false };
        let modified = metadata.modified();
        let time = if self.extent == Extent::ClassPath && !metadata.is_dir() {
            modified
        } else {
            metadata.created().or(modified)
        };
        time.is_ok_and(|time| time >= self.since)
    }

    /// Whether the path is an element of the class path or named by an argument of the JVM, or above or below one.
    fn is_on_class_path(&self, path: &Path) -> bool {
        let Recipe { test_class_path, engine_class_path, classes, test_classes, .. } = self.recipe;
        let elements = test_class_path.iter().chain(engine_class_path).chain([classes, test_classes]);
        let mut elements = elements.map(PathBuf::as_path).chain(self.named_in_arguments());
        elements.any(|element| path.starts_with(element) || element.starts_with(path))
    }

    /// The paths below the build folder that an argument of the JVM names: an agent or a module path that the build has
    /// put there. Without them, the JVM does not start. System properties do not count: they may name the folder that the
    /// tests write to.
    fn named_in_arguments(&self) -> impl Iterator<Item = &Path> {
        let arguments = self.recipe.jvm_arguments.iter().filter(|argument| !argument.starts_with("-D"));
        let words = arguments.flat_map(|argument| argument.split([':', '=', ',', ';']));
        words
            .map(Path::new)
            .filter(|path| path.starts_with(&self.recipe.build_directory) && *path != self.recipe.build_directory)
    }
}

/// The text with the folder `to` in place of `from`, wherever it stands.
fn moved(text: &str, from: &Path, to: &Path) -> String {
    let (Some(from), Some(to)) = (from.to_str(), to.to_str()) else { return text.to_owned() };
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(from) {
        let is_whole = !behind.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_' | '.'));
        result.push_str(before);
        result.push_str(if is_whole { to } else { from });
        rest = behind;
    }
    result + rest
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_path_moves_where_it_stands_as_a_whole() {
        let moved = |text: &str| moved(text, Path::new("/home/me/shop"), Path::new("/tmp/x/shop"));
        assert_eq!(moved("-Dcp=/home/me/shop/target/classes:/m2/a.jar"), "-Dcp=/tmp/x/shop/target/classes:/m2/a.jar");
        assert_eq!(moved("/home/me/shop:/home/me/shop-api:/home/me/shop"), "/tmp/x/shop:/home/me/shop-api:/tmp/x/shop");
        assert_eq!(moved("nothing"), "nothing");
    }

    #[test]
    fn a_copy_lacks_what_tests_left_behind_and_is_as_new_after_each_run() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path();
        let write = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "here").unwrap();
        };
        [
            "src/A.java",
            "classes/A.class",
            "test-classes/ATest.class",
            ".git/HEAD",
            "built/tool.jar",
            "built/of-test.txt",
            "built/agents/a.jar",
            "built/out/old.txt",
            "written-again.txt",
        ]
        .into_iter()
        .for_each(write);
        // Times of files come from a clock of their own, which is up to a tick behind.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let since = SystemTime::now();
        std::thread::sleep(std::time::Duration::from_millis(20));
        ["left/behind.txt", "built/new.txt", "built/of-test.txt", "written-again.txt"].into_iter().for_each(write);
        let agent = format!("-javaagent:{}=all", root.join("built/agents/a.jar").display());
        let output = format!("-Dout={}", root.join("built/out").display());
        let build_directory = root.join("built");
        let recipe = Recipe { build_directory, jvm_arguments: vec![agent, output], ..Recipe::of_tests(root) };
        let names = |copy: &CleanCopy| {
            let files = copy.all_entries().into_iter().filter(|(_, stamp)| !stamp.is_folder);
            files.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>()
        };
        let full = CleanCopy::new(&recipe, Extent::BuildFolder, since).unwrap();
        let of_build = ["built/agents/a.jar", "built/of-test.txt", "built/out/old.txt", "built/tool.jar"];
        let others = ["classes/A.class", "src/A.java", "test-classes/ATest.class"];
        assert_eq!(names(&full), [of_build.as_slice(), &others, &["written-again.txt"]].concat());
        assert!(!full.to.join("left").exists());
        let mut bare = CleanCopy::new(&recipe, Extent::ClassPath, since).unwrap();
        let others = ["built/agents/a.jar", "classes/A.class", "src/A.java", "test-classes/ATest.class"];
        assert_eq!(names(&bare), others);
        std::fs::write(bare.to.join("src/A.java"), "changed").unwrap();
        std::fs::remove_file(bare.to.join("classes/A.class")).unwrap();
        std::fs::create_dir_all(bare.to.join("out/deep")).unwrap();
        std::fs::write(bare.to.join("out/deep/x"), "x").unwrap();
        bare.restore();
        assert_eq!(names(&bare), others);
        assert!(!bare.to.join("out").exists());
        assert_eq!(std::fs::read_to_string(bare.to.join("src/A.java")).unwrap(), "here");
    }
}
