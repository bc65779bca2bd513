//! The test runs of the last analysis, and which test classes an edit affects.

use super::changed_tests::changed_tests;
use super::{Changes, PastResults};
use crate::base::error::Result;
use crate::base::id::{IdSlice, IdVec, MethodId, RecipeId};
use crate::change::TestClassKey;
use crate::cover::{EarlierRuns, RecordedRuns};
use crate::recipe::{Build, TestLoader};
use crate::transform::Transformations;
use std::collections::BTreeSet;

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
        past: &'a PastResults,
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
