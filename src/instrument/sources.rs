//! Reads the test sources of a recipe that Maven compiles, and finds the places that can be probed.

use super::finder;
use super::foreign;
use super::place::SourcePlaces;
use crate::base::error::{Error, Result};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::recipe::Recipe;
use crate::text::encoding::SourceEncoding;
use crate::text::words::top_level;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One test source.
#[derive(Debug)]
pub struct TestSource {
    pub path: PathBuf,
    pub text: String,
    pub places: SourcePlaces,
    /// Whether it belongs to the tests of another module.
    pub is_foreign: bool,
}

/// The test sources of a recipe.
#[derive(Debug, Default)]
pub struct TestSources {
    /// In order of path.
    pub sources: Vec<TestSource>,
    /// Sources that cannot take part, each with the reason.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Reads all sources below the test source roots, and those of other modules that the tests use.
///
/// # Errors
/// If a source root or a source cannot be read.
pub fn read(recipe: &Recipe) -> Result<TestSources> {
    let mut read = read_own(recipe)?;
    let used = foreign::used_classes(recipe);
    for tests in &recipe.foreign_tests {
        let encoding = SourceEncoding::of(tests.encoding.as_deref(), recipe.java_release);
        for path in java_files(&tests.source_roots)? {
            let text = encoding.decode(&read_bytes(&path)?).text;
            // A source that cannot be read is not watched here, which decides about its tests.
            let Ok(places) = finder::places(&text) else { continue };
            if class_names(&places).any(|class| used.contains(&class)) && is_compiled(&places, &tests.classes) {
                read.sources.push(TestSource { path, text, places, is_foreign: true });
            }
        }
    }
    Ok(read)
}

/// The Java sources below these roots, in order of path.
fn java_files(roots: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut paths = BTreeSet::new();
    for root in roots.iter().filter(|root| root.is_dir()) {
        for entry in walkdir::WalkDir::new(root).follow_links(true) {
            let entry = entry.map_err(|error| unreadable(root, &error.to_string()))?;
            let is_source = entry.path().extension().is_some_and(|extension| extension == "java");
            // The tests are compiled outside of any module.
            if is_source && entry.file_type().is_file() && entry.file_name() != "module-info.java" {
                paths.insert(entry.into_path());
            }
        }
    }
    Ok(paths)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    read_file(path, LONGEST_SOURCE).map_err(|error| unreadable(path, &error.to_string()))
}

fn read_own(recipe: &Recipe) -> Result<TestSources> {
    let encoding = recipe.source_encoding();
    let mut read = TestSources::default();
    for path in java_files(&recipe.test_source_roots)? {
        let text = encoding.decode(&read_bytes(&path)?).text;
        match finder::places(&text) {
            Err(reason) => read.left_out.push((path, format!("It could not be read as Java: {reason}."))),
            Ok(places) if !is_compiled(&places, &recipe.test_classes) => {
                read.left_out
                    .push((path, "Maven does not compile it: its class is not among the test classes.".to_owned()));
            }
            Ok(places) if is_rewritten(&places, recipe) => {
                read.left_out.push((path, "The build changes its class after it was compiled.".to_owned()));
            }
            Ok(places) => read.sources.push(TestSource { path, text, places, is_foreign: false }),
        }
    }
    Ok(read)
}

/// The binary names of the top-level classes of a source.
pub(super) fn class_names(places: &SourcePlaces) -> impl Iterator<Item = String> + '_ {
    let names = places.package.iter().flat_map(|package| package.split('.')).map(str::trim);
    let package: String = names.fold(String::new(), |package, part| package + part + ".");
    places.types.iter().map(move |name| format!("{package}{name}"))
}

/// Whether Maven compiles a source. One that maven-compiler-plugin leaves out (`testExcludes`) must
/// not be compiled here.
fn is_compiled(places: &SourcePlaces, test_classes: &Path) -> bool {
    if !test_classes.is_dir() {
        return true;
    }
    let Some(first) = places.types.first() else {
        return true;
    };
    let mut folder = test_classes.to_path_buf();
    folder.extend(places.package.iter().flat_map(|package| package.split('.')).map(str::trim));
    folder.join(format!("{first}.class")).is_file()
}

/// Whether the build has changed the class of a source, or one of its nested classes. Compiling the
/// source again would undo that.
fn is_rewritten(places: &SourcePlaces, recipe: &Recipe) -> bool {
    class_names(places).any(|top| recipe.rewritten_test_classes.iter().any(|class| top_level(class) == top))
}

fn unreadable(path: &Path, error: &str) -> Error {
    Error::usage(
        format!("The test source {} cannot be read: {error}.", path.display()),
        "Check its permissions, or take it out of the test source roots.",
    )
}
