//! From what has changed since an earlier analysis to what of the runs of its tests holds still.

use super::{Changes, Past};
use crate::base::error::Result;
use crate::base::fingerprint::all_in;
use crate::base::id::{IdSlice, IdVec, MethodId, RecipeId};
use crate::change::{TestClassKey, TestClasses};
use crate::classfile::names;
use crate::cover::{Before, Runs};
use crate::recipe::{Build, TestLoader};
use crate::transform::Transformations;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The runs of before, and what has changed since.
#[derive(Clone, Debug)]
pub struct Recall<'a> {
    runs: &'a IdSlice<RecipeId, Option<(TestLoader, Runs)>>,
    /// Methods whose bodies are others.
    bodies: BTreeSet<MethodId>,
    /// Test classes that are others, or use such.
    classes: IdVec<RecipeId, BTreeSet<String>>,
}

impl<'a> Recall<'a> {
    /// What is to be known before the tests run; or why nothing is.
    ///
    /// # Errors
    /// When a class file of the tests cannot be read.
    pub fn new(
        past: &'a Past,
        changes: &Changes,
        build: &Build,
        transformations: &Transformations,
    ) -> Result<std::result::Result<Self, String>> {
        let bodies = match past.changed_methods(changes, build, transformations) {
            Ok(bodies) => bodies,
            Err(why) => return Ok(Err(why)),
        };
        let runs = past.runs.as_slice();
        let of_recipes = runs.iter_enumerated().filter_map(|(recipe, runs)| Some((recipe, &runs.as_ref()?.1)));
        let has_tests =
            of_recipes.flat_map(|(recipe, runs)| runs.tests.iter().map(move |test| (recipe, test.class.as_str())));
        let changed = match changed_tests(changes, build, &has_tests.collect())? {
            Ok(changed) => changed,
            Err(why) => return Ok(Err(why)),
        };
        let mut classes = IdVec::from_vec(vec![BTreeSet::new(); runs.len()]);
        for TestClassKey { recipe, class } in changed {
            if let Some(classes) = classes.get_mut(recipe) {
                classes.insert(class);
            }
        }
        Ok(Ok(Self { runs, bodies, classes }))
    }

    /// What is known of the tests of one recipe.
    #[must_use]
    pub fn before(&self, recipe: RecipeId) -> Option<Before<'_>> {
        let (loader, runs) = self.runs.get(recipe)?.as_ref()?;
        let classes = self.classes.get(recipe)?;
        Some(Before { loader: *loader, runs, bodies: &self.bodies, classes, may_leave_out: true })
    }
}

/// Test classes, with the recipe by which they run, that are others or use such; or why that is not all. `has_tests` are those with tests.
pub fn changed_tests(
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
        // A framework that looks for annotated classes finds what no class names.
        if all.is_annotated(key) && !has_tests.contains(&(key.recipe, key.class.as_str())) {
            return Ok(Err(format!("{}, which is annotated", key.class)));
        }
    }
    if let Some((class, by)) = named_elsewhere(&changed, build) {
        return Ok(Err(format!("{class}, which {by} names")));
    }
    Ok(Ok(all.users(&changed)))
}

/// A class that something other than class files names, and what does: a resource (of `ServiceLoader`, say), or the build.
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
