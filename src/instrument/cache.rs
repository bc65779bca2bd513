//! Keeps instrumented tests for the next analysis, which uses them if nothing has changed that they
//! are compiled from.
//!
//! They are compiled from this build of reneri, the environment, the recipe, the test sources, the
//! JDK, the jars, and everything in the class path's classes but the bodies of methods.

use super::compiler::Compilers;
use super::{Instrumented, instrument};
use crate::base::cache_folder::cache_folder;
use crate::base::error::{Error, Result};
use crate::base::fingerprint::{Fingerprint, KEPT_FOR, all_in, content, forget_older_than, stamp};
use crate::base::kept;
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::digest::digest;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    instrumented: Instrumented,
    /// Class files, by their path in the folder of [`Instrumented::classes`].
    classes: BTreeMap<PathBuf, Vec<u8>>,
}

/// The result of [`instrument`], taken from the last analysis if that still holds.
///
/// # Errors
/// Those of [`instrument`], and if `scratch` cannot be written.
pub fn instrument_or_recall(
    compilers: &Compilers,
    recipe: &Recipe,
    scratch: &Path,
    probe_classes: &Path,
) -> Result<Instrumented> {
    let Some(key) = key(recipe) else { return instrument(compilers, recipe, scratch, probe_classes) };
    let file = file(recipe);
    if let Some(entry) = read(&file).filter(|entry| entry.key == key) {
        return unpack(entry, &scratch.join("classes"));
    }
    let instrumented = instrument(compilers, recipe, scratch, probe_classes)?;
    let classes = instrumented.classes.iter().flat_map(|folder| {
        let files = all_in(folder, |_| true).into_keys();
        files.filter_map(move |file| {
            Some((file.strip_prefix(folder).ok()?.to_path_buf(), read_file(&file, LONGEST_SOURCE).ok()?))
        })
    });
    let entry = Entry { key, instrumented: instrumented.clone(), classes: classes.collect() };
    // If the entry cannot be kept, the next analysis makes it again.
    let _ = postcard::to_allocvec(&entry).ok().and_then(|bytes| kept::write(&file, &bytes));
    file.parent().into_iter().for_each(|folder| forget_older_than(folder, KEPT_FOR));
    Ok(instrumented)
}

fn file(recipe: &Recipe) -> PathBuf {
    let mut place = Fingerprint::default();
    place.add(&recipe.test_classes.to_string_lossy());
    recipe.execution.iter().for_each(|execution| place.add(execution));
    cache_folder().join("instrumented").join(place.finish())
}

fn read(file: &Path) -> Option<Entry> {
    postcard::from_bytes(&kept::read(file).ok()?).ok()
}

fn unpack(entry: Entry, folder: &Path) -> Result<Instrumented> {
    let mut instrumented = entry.instrumented;
    if instrumented.classes.is_some() {
        for (path, bytes) in entry.classes {
            let file = folder.join(path);
            let written =
                file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&file, bytes));
            written.map_err(|error| {
                Error::usage(
                    format!("{} cannot be written: {error}.", file.display()),
                    "Make room, or set TMPDIR to a folder that can be written.",
                )
            })?;
        }
        instrumented.classes = Some(folder.to_path_buf());
    }
    Ok(instrumented)
}

/// A fingerprint of everything that the result depends on; `None` if something cannot be read.
fn key(recipe: &Recipe) -> Option<String> {
    let mut key = Fingerprint::of_program_and_environment()?;
    key.add(&serde_json::to_string(recipe).ok()?);
    key.add(&format!("{:?}", stamp(&recipe.java_home.join("release"))));
    let modules = recipe.module_path.iter().flat_map(|modules| &modules.elements);
    let class_path = [&recipe.classes, &recipe.test_classes].into_iter().chain(&recipe.test_class_path).chain(modules);
    for element in class_path {
        if !element.is_dir() {
            key.add(&format!("{} {:?}", element.display(), stamp(element)));
            continue;
        }
        for file in all_in(element, |_| true).into_keys() {
            let bytes = read_file(&file, LONGEST_SOURCE).ok()?;
            key.add(&file.to_string_lossy());
            key.add(&digest(&bytes).map_or_else(|_| content(&bytes), |digest| digest.shape().to_owned()));
        }
    }
    let foreign_roots = recipe.foreign_tests.iter().flat_map(|tests| &tests.source_roots);
    for file in recipe.test_source_roots.iter().chain(foreign_roots).flat_map(|root| all_in(root, |_| true).into_keys())
    {
        key.add(&file.to_string_lossy());
        key.add(&content(&read_file(&file, LONGEST_SOURCE).ok()?));
    }
    Some(key.finish())
}
