//! Finds the test sources that are not written in Java. Their tests run, but their expressions are
//! not observed.

use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::outline::outline;
use crate::recipe::Recipe;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const REASON: &str = "It is not written in Java: its tests run, but the values of its expressions are not seen.";

/// The sources that the `SourceFile` attributes of the test classes name, each with the reason why
/// it is left out, sorted. A class that cannot be read is skipped.
pub(super) fn sources(recipe: &Recipe) -> Vec<(PathBuf, String)> {
    let mut found = BTreeSet::new();
    for entry in walkdir::WalkDir::new(&recipe.test_classes).into_iter().flatten() {
        if entry.path().extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let named = read_file(entry.path(), LONGEST_SOURCE).ok().and_then(|bytes| outline(&bytes).ok()?.source_file);
        let package = entry.path().parent().and_then(|folder| folder.strip_prefix(&recipe.test_classes).ok());
        if let (Some(name), Some(package)) = (named, package)
            && Path::new(&name).extension().is_some_and(|extension| extension != "java")
        {
            found.insert(locate(recipe, &package.join(name)));
        }
    }
    found.into_iter().map(|file| (file, REASON.to_owned())).collect()
}

/// The file at the place that the language's own plugins use, or below the first root if it is not
/// there.
fn locate(recipe: &Recipe, file: &Path) -> PathBuf {
    let folder = match file.extension().and_then(|extension| extension.to_str()) {
        Some("kt") => "kotlin",
        Some(extension) => extension,
        None => "java",
    };
    let own = recipe.base_directory.join("src/test").join(folder);
    // A Kotlin file may lie outside of the folder of its package.
    let flat = file.file_name().map(Path::new).unwrap_or(file);
    let candidates: Vec<PathBuf> = recipe
        .test_source_roots
        .iter()
        .chain(std::iter::once(&own))
        .flat_map(|root| [root.join(file), root.join(flat)])
        .collect();
    candidates.iter().find(|candidate| candidate.is_file()).cloned().unwrap_or_else(|| own.join(file))
}
