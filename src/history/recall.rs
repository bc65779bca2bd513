//! The test runs of the last analysis, and which test classes an edit affects.

use super::{Changes, Past};
use crate::base::error::Result;
use crate::base::fingerprint::all_in;
use crate::base::id::{IdSlice, IdVec, MethodId, RecipeId};
use crate::change::{TestClassKey, TestClasses};
use crate::classfile::names;
use crate::cover::{EarlierRuns, RecordedRuns};
use crate::recipe::{Build, TestLoader};
use crate::transform::Transformations;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The runs of the last analysis, and the changes after it.
#[derive(Clone, Debug)]
pub struct Recall<'a> {
    runs: &'a IdSlice<RecipeId, Option<(TestLoader, RecordedRuns)>>,
    /// Methods whose bodies have changed.
    bodies: BTreeSet<MethodId>,
    /// Test classes that have changed, or use one that has.
    classes: IdVec<RecipeId, BTreeSet<String>>,
}

impl<'a> Recall<'a> {
    /// The runs and changes, or the reason why the runs cannot be reused.
    ///
    /// # Errors
    /// If a class file of the tests cannot be read.
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

    /// The runs of one recipe's tests, if they can be reused.
    #[must_use]
    pub fn earlier_runs(&self, recipe: RecipeId) -> Option<EarlierRuns<'_>> {
        let (loader, runs) = self.runs.get(recipe)?.as_ref()?;
        let classes = self.classes.get(recipe)?;
        Some(EarlierRuns { loader: *loader, runs, changed_methods: &self.bodies, changed_test_classes: classes })
    }
}

/// The test classes that have changed or use one that has, or the reason why these are not all that
/// the change affects. `has_tests` are the classes with tests.
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
