//! Reads the test sources of a recipe that Maven compiles, and finds the places that can be probed.

use super::finder;
use super::place::SourcePlaces;
use crate::base::error::{Error, Result};
use crate::recipe::Recipe;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One test source.
#[derive(Debug)]
pub struct TestSource {
    pub path: PathBuf,
    pub text: String,
    pub places: SourcePlaces,
}

/// The test sources of a recipe.
#[derive(Debug, Default)]
pub struct TestSources {
    /// In order of path.
    pub sources: Vec<TestSource>,
    /// Sources that cannot take part, each with the reason.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Reads all sources below the test source roots.
///
/// # Errors
/// If a source root or a source cannot be read.
pub fn read(recipe: &Recipe) -> Result<TestSources> {
    let mut paths = BTreeSet::new();
    for root in recipe.test_source_roots.iter().filter(|root| root.is_dir()) {
        for entry in walkdir::WalkDir::new(root).follow_links(true) {
            let entry = entry.map_err(|error| unreadable(root, &error.to_string()))?;
            let is_source = entry.path().extension().is_some_and(|extension| extension == "java");
            // The tests are compiled outside of any module.
            if is_source && entry.file_type().is_file() && entry.file_name() != "module-info.java" {
                paths.insert(entry.into_path());
            }
        }
    }
    let encoding = recipe.source_encoding();
    let mut read = TestSources::default();
    for path in paths {
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        let text = encoding.decode(&bytes).text;
        match finder::places(&text) {
            Err(reason) => read.left_out.push((path, format!("It could not be read as Java: {reason}."))),
            Ok(places) if !is_compiled(&places, &recipe.test_classes) => {
                read.left_out
                    .push((path, "Maven does not compile it: its class is not among the test classes.".to_owned()));
            }
            Ok(places) if is_rewritten(&places, recipe) => {
                read.left_out.push((path, "The build changes its class after it was compiled.".to_owned()));
            }
            Ok(places) => read.sources.push(TestSource { path, text, places }),
        }
    }
    Ok(read)
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
    let package: String = places
        .package
        .iter()
        .flat_map(|package| package.split('.'))
        .map(str::trim)
        .fold(String::new(), |package, part| package + part + ".");
    recipe.rewritten_test_classes.iter().any(|class| {
        class
            .strip_prefix(&package)
            .is_some_and(|name| places.types.iter().any(|top| name.split('$').next() == Some(top.as_str())))
    })
}

fn unreadable(path: &Path, error: &str) -> Error {
    Error::usage(
        format!("The test source {} cannot be read: {error}.", path.display()),
        "Check its permissions, or take it out of the test source roots.",
    )
}
