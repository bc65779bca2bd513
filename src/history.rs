//! From everything that an analysis hangs on to the report that it had, for as long as nothing of that has changed.
//!
//! That is: this build of reneri and what it was asked for; what Maven, or the recipe file, says of the build; the environment; each file of the
//! project outside of its build folders and each jar, by size, times and inode; and the classes, tests and resources, by their content. What
//! else tests may read (the network, the clock, files elsewhere) is not seen: `--no-history`.

use crate::change::Change;
use crate::cli::Settings;
use crate::inputs::{Fingerprint, Stamps, all_in, fingerprint, is_input_of_project, outside, replace, stamp};
use crate::java::cache_folder;
use crate::recipe::{Build, Recipe};
use crate::report::Report;
use crate::reproduce;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// What an analysis hangs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// One for each project and output folder: a later analysis takes the place of the one before.
    file: PathBuf,
    state: String,
}

/// What came of an analysis.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub report: Report,
    /// What the terminal showed, in order.
    pub warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Entry<K> {
    state: String,
    kept: K,
}

impl History {
    /// As it is now. `None` where it cannot be known.
    #[must_use]
    pub fn of(settings: &Settings, build: &Build, change: Option<&Change>) -> Option<Self> {
        let mut state = Fingerprint::of_program_and_environment()?;
        state.add(&reproduce::command(settings));
        // The command does not show the values.
        settings.target.maven_arguments.iter().for_each(|argument| state.add(argument));
        state.add(&format!("{change:?}, {:?}", settings.shard));
        state.add(&serde_json::to_string(build).ok()?);
        let folders = folders(build);
        state.add(&fingerprint(&files(build, &folders, &settings.target.output)));
        folders.iter().for_each(|folder| state.add_content(folder));
        let mut place = Fingerprint::default();
        place.add(&build.root.to_string_lossy());
        place.add(&settings.target.output.to_string_lossy());
        let file = cache_folder().join("analyses").join(format!("{}.json", place.finish()));
        Some(Self { file, state: state.finish() })
    }

    /// What is kept of the last analysis, if it still holds.
    #[must_use]
    pub fn kept(&self) -> Option<Kept> {
        let entry: Entry<Kept> = serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()?;
        (entry.state == self.state).then_some(entry.kept)
    }

    /// Keeps what came of an analysis that began in this state. To be called where it is the state still.
    pub fn keep(&self, kept: &Kept) -> Option<()> {
        replace(&self.file, &Entry { state: self.state.clone(), kept })?;
        forget_older_than(self.file.parent()?, KEPT_FOR);
        Some(())
    }
}

/// Removes what has not been written for so long: projects that are gone would leave their results behind.
fn forget_older_than(folder: &Path, age: Duration) {
    let is_old = |file: &Path| {
        let modified = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok) {
        if is_old(&entry.path()) {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Folders that count by their content: the build writes them anew, often without a change.
fn folders(build: &Build) -> BTreeSet<PathBuf> {
    let of_modules = build.modules.iter().flat_map(|module| [&module.classes].into_iter().chain(&module.source_roots));
    let of_recipes = build.recipes.iter().flat_map(|recipe| {
        let roots = recipe.source_roots.iter().chain(&recipe.test_source_roots);
        [&recipe.classes, &recipe.test_classes].into_iter().chain(roots).chain(class_path(recipe))
    });
    of_modules.chain(of_recipes).filter(|path| path.is_dir()).cloned().collect()
}

fn class_path(recipe: &Recipe) -> impl Iterator<Item = &PathBuf> {
    let modules = recipe.module_path.iter().flat_map(|modules| &modules.elements);
    recipe.test_class_path.iter().chain(&recipe.engine_class_path).chain(&recipe.scanned_dependencies).chain(modules)
}

/// Jars, the JDK, and the project outside of its build folders.
fn files(build: &Build, folders: &BTreeSet<PathBuf>, output: &Path) -> Stamps {
    let mut roots: BTreeSet<&Path> = build.modules.iter().map(|module| module.base_directory.as_path()).collect();
    roots.insert(&build.root);
    roots.extend(build.recipes.iter().map(|recipe| recipe.base_directory.as_path()));
    let mut stamps = Stamps::new();
    for root in roots {
        let is_input = |path: &Path| is_input_of_project(path, output) && !folders.contains(path);
        stamps.extend(all_in(root, is_input));
    }
    let build_folders = build.recipes.iter().map(|recipe| recipe.build_directory.clone()).collect();
    let mut stamps = outside(&stamps, &build_folders);
    for recipe in &build.recipes {
        let jars = class_path(recipe).filter(|path| !path.is_dir()).cloned();
        let jdk = recipe.java_home.join("release");
        stamps.extend(jars.chain([jdk]).map(|file| (file.clone(), stamp(&file))));
    }
    stamps
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_written_for_long_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.json"), folder.path().join("new.json"));
        let file = std::fs::File::create(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * KEPT_FOR).unwrap();
        std::fs::write(&new, "{}").unwrap();
        forget_older_than(folder.path(), KEPT_FOR);
        assert_eq!((old.exists(), new.exists()), (false, true));
    }
}
