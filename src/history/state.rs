//! The state of all inputs of an analysis, and the changes between two states.

use crate::base::cache_folder::cache_folder;
use crate::base::contents::Contents;
use crate::base::fingerprint::{Fingerprint, Stamps, all_in, content, is_input_of_project, outside};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::change::Change;
use crate::classfile::digest::{ClassDigest, digest};
use crate::cli::Settings;
use crate::cli::reproduce;
use crate::recipe::{Build, Recipe};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// All inputs of an analysis: this build of reneri and its options, the build as Maven or the
/// recipe file describes it, the environment, every file of the project outside of its build
/// folders, every jar, and classes, tests and resources. All files count by content, so a clone
/// elsewhere is equal.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct State {
    /// Options that change the report but no verdict: the part of the project, and its name in the
    /// report.
    scope: String,
    /// All inputs without a field of their own.
    rest: String,
    /// The project's own class files.
    classes: BTreeMap<PathBuf, ClassDigest>,
    /// Class files of the tests, by their content.
    test_classes: BTreeMap<PathBuf, String>,
    /// Sources, by their content.
    sources: BTreeMap<PathBuf, String>,
}

/// The body of a method in a class file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodBody {
    pub file: PathBuf,
    /// Name and descriptor, `isEmpty()Z`.
    pub method: String,
}

/// The changes between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The bodies that have changed.
    pub bodies: BTreeSet<MethodBody>,
    /// Class files of the tests that are new or have changed.
    pub test_classes: BTreeSet<PathBuf>,
    /// Sources that are new, changed or deleted.
    pub sources: BTreeSet<PathBuf>,
    /// By class file of the code: old and new lines of bodies that have not changed.
    pub lines: BTreeMap<PathBuf, BTreeMap<u16, u16>>,
}

impl Changes {
    /// Whether a source of the tests has changed.
    #[must_use]
    pub fn has_other_tests(&self, build: &Build) -> bool {
        let mut roots = build.recipes.iter().flat_map(|recipe| &recipe.test_source_roots);
        roots.any(|root| self.sources.iter().any(|source| source.starts_with(root)))
    }
}

impl State {
    /// The current state; `None` if some input cannot be read.
    #[must_use]
    pub fn of(settings: &Settings, build: &Build, change: Option<&Change>) -> Option<Self> {
        let scope =
            format!("{} {change:?} {:?} {:?}", reproduce::command(settings), settings.shard, settings.fix_budget);
        let mut state = Self { scope: content(scope.as_bytes()), ..Self::default() };
        let mut contents = Contents::of(&build.root);
        let mut rest = Fingerprint::of_environment();
        rest.add(env!("CARGO_PKG_VERSION"));
        rest.add(&contents.get(&std::env::current_exe().ok()?));
        let Settings { runs, transformations, disabled_stop_rules, target, .. } = settings;
        rest.add(&format!("{runs} {transformations:?} {disabled_stop_rules:?} {:?}", target.maven_arguments));
        rest.add(&serde_json::to_string(build).ok()?);
        let folders = folders(build);
        // The baseline is only compared with the findings.
        let is_baseline = |file: &PathBuf| settings.baseline.as_ref() == Some(file);
        for file in files(build, &folders, &target.output).into_iter().filter(|file| !is_baseline(file)) {
            rest.add(&file.to_string_lossy());
            rest.add(&contents.get(&file));
        }
        let is_in = |folders: &[&PathBuf], file: &Path| folders.iter().any(|folder| file.starts_with(folder));
        let classes: Vec<&PathBuf> = build.modules.iter().map(|module| &module.classes).collect();
        let test_classes: Vec<&PathBuf> = build.recipes.iter().map(|recipe| &recipe.test_classes).collect();
        let sources: Vec<&PathBuf> = source_roots(build).collect();
        for file in folders.iter().flat_map(|folder| all_in(folder, |_| true).into_keys()) {
            let is_class = file.extension().is_some_and(|ending| ending == "class");
            if is_class && is_in(&test_classes, &file) {
                state.test_classes.insert(file.clone(), contents.get(&file));
            } else if is_in(&sources, &file) && !is_in(&classes, &file) && !is_in(&test_classes, &file) {
                state.sources.insert(file.clone(), contents.get(&file));
            } else if is_class
                && is_in(&classes, &file)
                && let Ok(digest) = digest(&read_file(&file, LONGEST_SOURCE).unwrap_or_default())
            {
                state.classes.insert(file, digest);
            } else {
                rest.add(&file.to_string_lossy());
                rest.add(&contents.get(&file));
            }
        }
        contents.keep();
        state.rest = rest.finish();
        Some(state)
    }

    /// The changes of code and tests after `earlier`.
    ///
    /// # Errors
    /// If any other input has changed, which may affect everything: its name, in words.
    pub fn changes_since(&self, earlier: &Self) -> Result<Changes, &'static str> {
        if self.rest != earlier.rest {
            return Err("options, the build, a resource, a library or the environment");
        }
        if !self.classes.keys().eq(earlier.classes.keys()) {
            return Err("the list of classes");
        }
        let (mut bodies, mut lines) = (BTreeSet::new(), BTreeMap::new());
        for ((file, now), then) in self.classes.iter().zip(earlier.classes.values()) {
            let methods = now.changed_bodies(then).ok_or("a class, in more than the bodies of its methods")?;
            lines.insert(file.clone(), now.lines_since(then));
            bodies
                .extend(methods.into_iter().map(|method| MethodBody { file: file.clone(), method: method.to_owned() }));
        }
        let gone = earlier.sources.keys().filter(|file| !self.sources.contains_key(*file));
        let sources = others(&self.sources, &earlier.sources).chain(gone).cloned().collect();
        Ok(Changes {
            bodies,
            test_classes: others(&self.test_classes, &earlier.test_classes).cloned().collect(),
            sources,
            lines,
        })
    }
}

/// Files that are new or have changed.
fn others<'a>(
    now: &'a BTreeMap<PathBuf, String>,
    then: &'a BTreeMap<PathBuf, String>,
) -> impl Iterator<Item = &'a PathBuf> {
    now.iter().filter(|(file, content)| then.get(*file) != Some(content)).map(|(file, _)| file)
}

fn source_roots(build: &Build) -> impl Iterator<Item = &PathBuf> {
    let of_modules = build.modules.iter().flat_map(|module| &module.source_roots);
    let of_recipes =
        build.recipes.iter().flat_map(|recipe| recipe.source_roots.iter().chain(&recipe.test_source_roots));
    of_modules.chain(of_recipes)
}

/// Folders whose files count by content, because builds rewrite them without a change. No folder is
/// inside another one of them.
fn folders(build: &Build) -> BTreeSet<PathBuf> {
    let of_modules = build.modules.iter().map(|module| &module.classes);
    let of_recipes = build
        .recipes
        .iter()
        .flat_map(|recipe| [&recipe.classes, &recipe.test_classes].into_iter().chain(class_path(recipe)));
    let all: BTreeSet<&PathBuf> =
        of_modules.chain(of_recipes).chain(source_roots(build)).filter(|path| path.is_dir()).collect();
    let is_inside = |folder: &PathBuf| all.iter().any(|other| *other != folder && folder.starts_with(other));
    all.iter().filter(|folder| !is_inside(folder)).map(|folder| (*folder).clone()).collect()
}

fn class_path(recipe: &Recipe) -> impl Iterator<Item = &PathBuf> {
    let modules = recipe.module_path.iter().flat_map(|modules| &modules.elements);
    recipe.test_class_path.iter().chain(&recipe.engine_class_path).chain(&recipe.scanned_dependencies).chain(modules)
}

/// The jars, the JDK, and the project's files outside of its build folders.
fn files(build: &Build, folders: &BTreeSet<PathBuf>, output: &Path) -> BTreeSet<PathBuf> {
    let mut roots: BTreeSet<&Path> = build.modules.iter().map(|module| module.base_directory.as_path()).collect();
    roots.insert(&build.root);
    roots.extend(build.recipes.iter().map(|recipe| recipe.base_directory.as_path()));
    // On CI the cache lies inside the project, because CI services cache nothing outside.
    let cache = cache_folder();
    let cache = cache.canonicalize().unwrap_or(cache);
    let mut stamps = Stamps::new();
    for root in roots {
        let is_input = |path: &Path| is_input_of_project(path, output) && !folders.contains(path) && path != cache;
        stamps.extend(all_in(root, is_input));
    }
    // A module without tests has no recipe, but a build folder.
    let of_modules = build.modules.iter().filter_map(|module| {
        let folder = module.classes.parent()?;
        (folder != module.base_directory && folder.starts_with(&module.base_directory)).then(|| folder.to_path_buf())
    });
    let build_folders = build.recipes.iter().map(|recipe| recipe.build_directory.clone()).chain(of_modules).collect();
    let mut files: BTreeSet<PathBuf> = outside(&stamps, &build_folders).into_keys().collect();
    for recipe in &build.recipes {
        files.extend(class_path(recipe).filter(|path| !path.is_dir()).cloned());
        files.insert(recipe.java_home.join("release"));
    }
    files
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn state(rest: &str, tests: &[(&str, &str)], sources: &[(&str, &str)]) -> State {
        let map = |files: &[(&str, &str)]| {
            files.iter().map(|(file, content)| ((*file).into(), (*content).into())).collect::<BTreeMap<_, _>>()
        };
        State {
            scope: String::new(),
            rest: rest.into(),
            classes: BTreeMap::new(),
            test_classes: map(tests),
            sources: map(sources),
        }
    }

    #[test]
    fn changes_include_new_changed_and_deleted_files() {
        let earlier = state("a", &[("ATest.class", "1"), ("BTest.class", "1")], &[("A.java", "1"), ("B.java", "1")]);
        assert_eq!(earlier.changes_since(&earlier), Ok(Changes::default()));
        let later = state("a", &[("BTest.class", "2"), ("CTest.class", "1")], &[("A.java", "2")]);
        let changes = later.changes_since(&earlier).unwrap();
        assert_eq!(changes.test_classes, ["BTest.class", "CTest.class"].map(PathBuf::from).into());
        assert_eq!(changes.sources, ["A.java", "B.java"].map(PathBuf::from).into());
        assert!(state("b", &[], &[]).changes_since(&state("a", &[], &[])).unwrap_err().contains("library"));
        let with_class = State { classes: [("A.class".into(), ClassDigest::default())].into(), ..State::default() };
        assert!(with_class.changes_since(&State::default()).unwrap_err().contains("list of classes"));
    }
}
