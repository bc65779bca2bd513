//! Proves patches of a report again, in the sources and with the program as they are now.

use crate::base::error::Result;
use crate::base::id::{RecipeId, TransformationId};
use crate::fix::edit::Edit;
use crate::fix::input::Input;
use crate::fix::outcome::PlacedPatch;
use crate::fix::prove::in_place::PatchCheck;
use crate::fix::prove::together::prove_together;
use crate::fix::source::library::Library;
use crate::fix::stage::trial_launch;
use crate::fix::trial::workshop::Workshop;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A patch to prove.
#[derive(Clone, Debug)]
pub struct ToProve {
    /// The test source that it changes.
    pub file: PathBuf,
    /// Edits of the source as it is now.
    pub edits: Vec<Edit>,
    /// Name of the test method with the new code.
    pub test: String,
    /// Test classes (binary names) that run the test.
    pub test_classes: BTreeSet<String>,
    /// Transformations that it has to make the tests notice.
    pub closes: BTreeSet<TransformationId>,
}

/// Proves the patches together. Returns for each the reason why it does not hold, if it does not.
///
/// # Errors
/// When a compiler or worker cannot be started, or the user interrupts.
pub fn prove(input: &Input<'_>, patches: &[ToProve]) -> Result<Vec<Option<String>>> {
    let mut doubts = vec![Some("no test run of the build has its test class".to_owned()); patches.len()];
    for ((id, recipe), launch) in input.build.recipes.iter_enumerated().zip(input.launches) {
        let own: Vec<usize> =
            (0..patches.len()).filter(|index| recipe_of(input, &patches[*index]) == Some(id)).collect();
        if own.is_empty() {
            continue;
        }
        let launch = trial_launch(input, recipe, launch);
        let because = input.compilers.with(&recipe.java_home, input.scratch, |compiler| {
            let scratch = input.scratch.join(id.to_string());
            let mut workshop = Workshop::open(input, recipe, launch, &scratch, compiler)?;
            let mut library = Library::new(input.coverage, input.sources, &recipe.test_source_roots);
            let mut checks: Vec<PatchCheck> = own.iter().map(|index| check(&patches[*index])).collect();
            for check in &checks {
                library.read(&check.placed.file);
            }
            prove_together(&mut workshop, &library, &mut checks)?;
            Ok(checks.into_iter().map(|check| check.because).collect::<Vec<_>>())
        })?;
        for (index, because) in own.into_iter().zip(because) {
            doubts[index] = because;
        }
        input.pool.keep(0);
    }
    Ok(doubts)
}

/// The first recipe that has the source and runs one of the test classes.
fn recipe_of(input: &Input<'_>, patch: &ToProve) -> Option<RecipeId> {
    let has_source =
        |id: &RecipeId| input.build.recipes[*id].test_source_roots.iter().any(|root| patch.file.starts_with(root));
    let runs_it = |id: &RecipeId| {
        input.coverage.tests.iter().any(|test| test.recipe == *id && patch.test_classes.contains(&test.class))
    };
    input.build.recipes.indices().find(|id| has_source(id) && runs_it(id))
}

fn check(patch: &ToProve) -> PatchCheck {
    let ToProve { file, edits, test, test_classes, closes } = patch.clone();
    let placed = PlacedPatch { file, edits, test, runners: test_classes, closes, ..PlacedPatch::default() };
    PatchCheck { placed, unproven: true, ..PatchCheck::default() }
}
