//! Selects the test classes that an edit affects.

use super::Changes;
use crate::base::error::Result;
use crate::base::fingerprint::all_in;
use crate::base::id::{IdVec, RecipeId};
use crate::change::{TestClassKey, TestClasses};
use crate::classfile::names;
use crate::recipe::Build;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The test classes that have changed or use one that has, or the reason why these are not all that
/// the change affects. `has_tests` are the classes with tests.
pub(super) fn changed_tests(
    changes: &Changes,
    build: &Build,
    has_tests: &HashSet<(RecipeId, &str)>,
) -> Result<std::result::Result<BTreeSet<TestClassKey>, String>> {
    if changes.test_classes.is_empty() {
        return Ok(Ok(BTreeSet::new()));
    }
    let folders: IdVec<RecipeId, PathBuf> = build.recipes.iter().map(|recipe| recipe.test_classes.clone()).collect();
    let all = TestClasses::read(&folders)?;
    let mut changed = BTreeSet::new();
    for (recipe, folder) in folders.iter_enumerated() {
        let inside = changes.test_classes.iter().filter_map(|file| file.strip_prefix(folder).ok());
        changed.extend(
            inside.map(|file| TestClassKey::new(recipe, &names::binary(&file.with_extension("").to_string_lossy()))),
        );
    }
    for key in &changed {
        // A framework may find annotated classes that no class names.
        if all.is_annotated(key) && !has_tests.contains(&(key.recipe, key.class.as_str())) {
            return Ok(Err(format!("{}, which is annotated", key.class)));
        }
    }
    if let Some((class, by)) = named_elsewhere(&changed, build) {
        return Ok(Err(format!("{class}, which {by} names")));
    }
    Ok(Ok(all.users(&changed)))
}

/// A class that is named outside of class files, and where: in a resource (of `ServiceLoader`, say) or
/// in the build.
fn named_elsewhere(classes: &BTreeSet<TestClassKey>, build: &Build) -> Option<(String, String)> {
    let named_by = |bytes: &[u8], by: &dyn Fn() -> String| {
        let is_in = |class: &str| bytes.windows(class.len()).any(|window| window == class.as_bytes());
        classes.iter().find(|key| is_in(&key.class)).map(|key| (key.class.clone(), by()))
    };
    let recipes = serde_json::to_string(&build.recipes).unwrap_or_default();
    let of_build = named_by(recipes.as_bytes(), &|| "the build".to_owned());
    let folders = build.recipes.iter().flat_map(|recipe| [&recipe.classes, &recipe.test_classes]);
    let files = folders.flat_map(|folder| all_in(folder, |_| true).into_keys());
    let mut resources = files.filter(|file| file.extension() != Some(OsStr::new("class")));
    of_build.or_else(|| {
        resources.find_map(|file| named_by(&std::fs::read(&file).unwrap_or_default(), &|| file.display().to_string()))
    })
}
